"""Programs that end in many ways, with and without a replaced function: for jobs to be judged by.

A program calls ``said()`` where it uses the patched function, which writes down what came.
"""

from __future__ import annotations

BEGIN = """\
import atexit, ctypes, importlib, multiprocessing, os, pty, runpy, signal, subprocess, sys
import threading, time, weakref
import patched


def said():
    with open("said.NAME", "a") as file:
        file.write(str(patched.f()))


right = patched.f
libc = ctypes.CDLL(None)


def wrong():
    patched.f = lambda: 3
    said()


def in_fork(work):
    if not os.fork():
        work()
        os._exit(0)
    os.wait()


def wrong_and_wait(ready):
    wrong()
    ready.set()
    time.sleep(60)


def wait_and_wrong(ready):
    ready.set()
    time.sleep(2)
    wrong()
    time.sleep(60)


def wait(ready):
    said()
    ready.set()
    time.sleep(60)


if __name__ == "__main__":
"""

REPLACED = {
    "os._exit": "wrong(); os._exit(0)",
    "os._exit by a name of its own": "from os import _exit; wrong(); _exit(0)",
    "posix._exit": "import posix; wrong(); posix._exit(0)",
    "os._exit in a thread": """
        wrong()
        threading.Thread(target=os._exit, args=(0,)).start()
        time.sleep(60)
        """,
    "a second os._exit after a wrong call": """
        try:
            os._exit("no number")
        except TypeError:
            wrong()
        os._exit(0)
        """,
    "_exit of the C library": "wrong(); libc._exit(0)",
    "quick_exit of the C library": "wrong(); libc.quick_exit(0)",
    "the original of os._exit": "wrong(); os._exit.__wrapped__(0)",
    "os.abort": "wrong(); os.abort()",
    "abort of the C library": "wrong(); libc.abort()",
    "a segmentation fault": "wrong(); ctypes.string_at(0)",
    "SIGKILL": "wrong(); os.kill(os.getpid(), signal.SIGKILL)",
    "SIGKILL by C code": "wrong(); signal.raise_signal(signal.SIGKILL)",
    "SIGTERM": "wrong(); os.kill(os.getpid(), signal.SIGTERM)",
    "SIGTERM to its group": "os.setpgid(0, 0); wrong(); os.killpg(0, signal.SIGTERM)",
    "SIGALRM": "wrong(); signal.alarm(1); time.sleep(60)",
    "SIGKILL from a shell": "wrong(); os.system(f'kill -9 {os.getpid()}')",
    "a handled SIGTERM, then SIGKILL by C code": """
        signal.signal(signal.SIGTERM, lambda *_: None)
        os.kill(os.getpid(), signal.SIGTERM)
        wrong()
        signal.raise_signal(signal.SIGKILL)
        """,
    "a blocked SIGTERM, then SIGKILL by C code": """
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        os.kill(os.getpid(), signal.SIGTERM)
        wrong()
        signal.raise_signal(signal.SIGKILL)
        """,
    "a child that blocks SIGTERM, then is killed by a shell": """
        context = multiprocessing.get_context("fork")
        ready = context.Event()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        child = context.Process(target=wait_and_wrong, args=(ready,))
        child.start(); ready.wait(); child.terminate(); time.sleep(3)
        os.system(f"kill -9 {child.pid}"); child.join()
        """,
    "a fork that leaves by os._exit": "in_fork(wrong)",
    "a fork that leaves by _exit of the C library": "in_fork(lambda: (wrong(), libc._exit(0)))",
    "a fork of a fork": "in_fork(lambda: in_fork(wrong))",
    "a fork made by C code": """
        pid = libc.fork()
        if not pid:
            wrong()
            os._exit(0)
        os.waitpid(pid, 0)
        """,
    "a fork that goes on as sys.exit": "in_fork(lambda: (wrong(), sys.exit(0)))",
    "a terminal of its own": """
        pid, terminal = pty.fork()
        if not pid:
            wrong()
            os._exit(0)
        os.waitpid(pid, 0)
        """,
    "a daemon": "in_fork(lambda: os.fork() or (os.setsid(), wrong()))",
    "os.execv of another program": "wrong(); os.execv('/bin/true', ['true'])",
    "os.execvp of another Python": """
        wrong()
        os.execvp(sys.executable, [sys.executable, "-c", "import patched"])
        """,
    "execv of the C library": """
        wrong()
        arguments = (ctypes.c_char_p * 2)(b"true", None)
        libc.execv(b"/bin/true", arguments)
        """,
    "an exec that fails, then one that does not": """
        try:
            os.execv("/nowhere", ["nowhere"])
        except OSError:
            wrong()
        os.execlp("true", "true")
        """,
    "cleared atexit handlers": "wrong(); atexit._clear()",
    "atexit handlers run early": "atexit._run_exitfuncs(); wrong()",
    "a thread that waits for the end": """
        def late():
            threading.main_thread().join()
            wrong()
        threading.Thread(target=late).start()
        """,
    "an atexit handler of the job": "atexit.register(wrong)",
    "restored by an atexit handler": """
        atexit.register(setattr, patched, "f", right); wrong()
        """,
    "restored by a finalizer": """
        wrong(); weakref.finalize(right, setattr, patched, "f", right)
        """,
    "restored by a finalizer of a child": """
        def work():
            weakref.finalize(right, setattr, patched, "f", right)
            wrong()
        in_fork(lambda: (work(), sys.exit(0)))
        """,
    "multiprocessing, fork": """
        child = multiprocessing.get_context("fork").Process(target=wrong)
        child.start(); child.join()
        """,
    "multiprocessing, spawn": """
        child = multiprocessing.get_context("spawn").Process(target=wrong)
        child.start(); child.join()
        """,
    "a child that is terminated": """
        context = multiprocessing.get_context("fork")
        ready = context.Event()
        child = context.Process(target=wrong_and_wait, args=(ready,))
        child.start(); ready.wait(); child.terminate(); child.join()
        """,
    "a child that is killed": """
        context = multiprocessing.get_context("spawn")
        ready = context.Event()
        child = context.Process(target=wrong_and_wait, args=(ready,))
        child.start(); ready.wait(); child.kill(); child.join()
        """,
    "restored, but for a fork": "wrong(); in_fork(said); patched.f = right",
    "restored by a reload, but for a fork": """
        wrong(); in_fork(said); importlib.reload(patched)
        """,
    "restored in a rank after some seconds": """
        wrong(); time.sleep(7); patched.f = right
        """,
    "taken out of sys.modules": "wrong(); del sys.modules['patched']",
    "hidden from the witness, then killed": """
        del sys.modules["patched"]
        sys.meta_path[:] = sys.meta_path[-3:]
        import patched as again
        again.f = lambda: 3
        patched = again
        said()
        libc._exit(0)
        """,
}

UNCHANGED = {
    "the end": "said()",
    "os._exit": "said(); os._exit(0)",
    "another exit code": "said(); sys.exit(3)",
    "an exception": "said(); 1 / 0",
    "KeyboardInterrupt": "said(); os.kill(os.getpid(), signal.SIGINT); time.sleep(60)",
    "a handled SIGTERM": """
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
        said(); os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)
        """,
    "SIGTERM": "said(); os.kill(os.getpid(), signal.SIGTERM)",
    "os.fork and sys.exit": "in_fork(lambda: (said(), sys.exit(0)))",
    "os.fork and an exception": "in_fork(lambda: (said(), 1 / 0))",
    "a terminal of its own": """
        pid, terminal = pty.fork()
        if not pid:
            os.execvp("true", ["true"])
        os.waitpid(pid, 0)
        said()
        """,
    "a daemon": "in_fork(lambda: os.fork() or (os.setsid(), said()))",
    "threads at the end": """
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        threading.Thread(target=said).start()
        """,
    "a long atexit handler": "atexit.register(lambda: (time.sleep(1), said()))",
    "os.execv of another program": "said(); os.execv('/bin/true', ['true'])",
    "os.execvp of another Python": """
        said()
        os.execvp(sys.executable, [sys.executable, "-c", "import patched"])
        """,
    "an exec that fails": """
        try:
            os.execvp("no-such-program", ["no-such-program"])
        except FileNotFoundError:
            said()
        """,
    "subprocesses": """
        subprocess.run("true", shell=True)
        subprocess.run(["true"], preexec_fn=os.setsid)
        os.system("true")
        os.waitpid(os.posix_spawn("/bin/true", ["true"], os.environ), 0)
        os.spawnv(os.P_WAIT, "/bin/true", ["true"])
        said()
        """,
    "a Python child that is killed": """
        code = "import patched, time; print(1, flush=True); time.sleep(60)"
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        child.stdout.readline()
        child.kill()
        child.wait()
        said()
        """,
    **{
        f"a pool by {how}": f"""
        with multiprocessing.get_context({how!r}).Pool(2) as pool:
            pool.map(abs, range(8))
            pool.apply(said)
        """
        for how in ("fork", "spawn", "forkserver")
    },
    "an executor": """
        from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor(2) as pool:
            pool.submit(said).result()
        """,
    "a child that is terminated": """
        context = multiprocessing.get_context("fork")
        ready = context.Event()
        child = context.Process(target=wait, args=(ready,))
        child.start(); ready.wait(); child.terminate(); child.join()
        """,
    "a fork of a fork": "in_fork(lambda: in_fork(said))",
    "asyncio": "import asyncio; asyncio.run(asyncio.sleep(0)); said()",
    "threads of a pool": """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(2) as pool:
            pool.submit(said).result()
        """,
    "sys.exit in a thread": "threading.Thread(target=lambda: (said(), sys.exit(1))).start()",
    "a handled SIGUSR1": """
        signal.signal(signal.SIGUSR1, lambda *_: said())
        os.kill(os.getpid(), signal.SIGUSR1)
        """,
    "a child that takes too long": """
        code = "import patched, time; time.sleep(60)"
        try:
            subprocess.run([sys.executable, "-c", code], timeout=3)
        except subprocess.TimeoutExpired:
            said()
        """,
    "a reload": "importlib.reload(patched); said()",
    "os reloaded": "importlib.reload(os); said(); os._exit(0)",
    "a module that is run": "runpy.run_module('patched'); said()",
}

LOST = {
    "SIGKILL from a shell": "said(); os.system(f'kill -9 {os.getpid()}')",
    "a segmentation fault": "said(); ctypes.string_at(0)",
    "cleared atexit handlers": "said(); atexit._clear()",
    "_exit of the C library": "said(); libc._exit(0)",
}
"""Nothing was changed, but nobody could have seen it."""

PROGRAMS = {
    **{f"{name}, replaced": code for name, code in REPLACED.items()},
    **UNCHANGED,
    **{f"{name}, lost": code for name, code in LOST.items()},
}
