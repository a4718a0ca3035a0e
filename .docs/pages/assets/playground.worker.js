// Python with the library, apart from the page, so that a large payload does not hold it up.

const RUNTIME = new URL("./playground/", import.meta.url).href;

const glue = (async () => {
  const { loadPyodide } = await import(`${RUNTIME}pyodide.mjs`);
  const [python, library] = await Promise.all([loadPyodide({ indexURL: RUNTIME }), fetch(`${RUNTIME}proxai_ir.zip`).then((got) => got.arrayBuffer())]);
  python.unpackArchive(library, "zip");
  return python.pyimport("glue");
})();

addEventListener("message", async ({ data }) => {
  try {
    const python = await glue;
    postMessage({ id: data.id, ...JSON.parse(python[data.call](data.text, data.from, data.to, data.kind)) });
  } catch (error) {
    postMessage({ id: data.id, failure: String(error) });
  }
});
