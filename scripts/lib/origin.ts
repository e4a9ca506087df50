/**
 * The origin of every command line. The browser maps the name to whatever port our server got, so storage, which belongs to an
 * origin, is always found again and no fixed port can be taken by somebody else. Names under `localhost` count as secure.
 */
export const commandLineHost = 'yardstick.localhost'
export const commandLineOrigin = `http://${commandLineHost}`
