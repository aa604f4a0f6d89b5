// Asks the server for data.

const PATIENCE_MS = 15_000;

/** Returns the answer to a request. Throws an Error with the server's reason. */
export async function ask(what, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(given).toString();
  let response;
  try {
    response = await fetch(`api/${what}${query ? '?' + query : ''}`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch (error) {
    throw new Error(
        error.name === 'TimeoutError'
            ? 'The server has not answered for 15 seconds.'
            : 'The server cannot be reached.');
  }
  if (!response.ok) {
    const reason = (await response.text()).trim();
    throw new Error(reason || `The server answered with status ${response.status}.`);
  }
  return response.json();
}
