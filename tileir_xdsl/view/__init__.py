"""The reports of a folder in the browser, on this machine only: `tileir view`.

`guarding` decides which requests are answered, `folder` lists the kernels and reports.
`compilations` makes reports in child processes, `pages` turns them into pages, `server` speaks
HTTP.
"""
