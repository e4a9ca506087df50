import { request } from 'node:http'

/** The status of an answer to a path that is sent as it is, which `fetch` would tidy up first, under any name. */
export function statusFor(address: string, host: string | null = null): Promise<number | undefined> {
  const [, authority = '', path = ''] = /^http:\/\/([^/]+)(.*)$/.exec(address) ?? []
  return new Promise((done, fail) => {
    const [name, port] = authority.split(':')
    const sent = request({ host: name, port, path, ...(host === null ? {} : { headers: { Host: host } }) }, (response) => {
      response.resume()
      done(response.statusCode)
    })
    sent.on('error', fail)
    sent.end()
  })
}
