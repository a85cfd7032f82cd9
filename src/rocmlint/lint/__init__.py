"""From files to findings: discover, scan, source, walk, rules, suppress."""
