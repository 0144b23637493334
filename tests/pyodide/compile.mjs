// Prints as JSON what Pyodide compiles, and its version of Python.
// Arguments: the folder of pyodide.mjs, of the installed packages, of kernels.py, of the kernels.
import { pathToFileURL } from "node:url";

const [home, ...folders] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${home}/pyodide.mjs`));
const python = await loadPyodide();
const mounted = ["/packages", "/script", "/kernels"];
mounted.forEach((place, index) => python.mountNodeFS(place, folders[index]));
console.log(
  python.runPython(`
import json, platform, sys
sys.path[:0] = ["/packages", "/script"]
from kernels import compiled
json.dumps({"python": platform.python_version(), "compiled": compiled("/kernels")})
`),
);
