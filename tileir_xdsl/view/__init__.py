"""The reports of a folder in the browser, on this machine only: `tileir view`.

`guarding` decides what is answered at all, `folder` what there is to see, `compilations` makes
reports in child processes, `pages` turns them into pages, `server` speaks HTTP.
"""
