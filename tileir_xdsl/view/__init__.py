"""Shows the reports of a folder in a browser on this machine: `tileir view`.

`guarding` decides which requests are answered, `folder` lists the kernels and reports.
`compilations` makes reports in child processes, `pages` turns them into pages, `server` speaks
HTTP.
"""
