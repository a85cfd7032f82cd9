# rocmlint, alone: docker run --rm -v "$PWD:/src" rocmlint src/
FROM python:3.13-slim AS build
WORKDIR /build
COPY pyproject.toml setup.py README.md LICENSE ./
COPY src src
COPY rules rules
RUN python -m venv /opt/rocmlint \
    && /opt/rocmlint/bin/pip install --no-cache-dir .

FROM python:3.13-slim
COPY --from=build /opt/rocmlint /opt/rocmlint
ENV PATH=/opt/rocmlint/bin:$PATH
# The files of a mounted checkout belong to whoever runs the container.
RUN useradd --create-home --uid 1000 rocmlint
USER 1000
WORKDIR /src
ENTRYPOINT ["rocmlint"]
CMD ["."]
