import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface TaxOfficeServer {
  /** Base addresses of the VIES and HMRC stubs. */
  addresses: { vies: string; hmrc: string }
  asked: { method: string; path: string; accept: string | undefined; body: string }[]
  /** Replaces the service's normal response. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null
  close: () => void
}

const KNOWN = { vies: ['DE136695976', 'EL094259216'], hmrc: ['553557881'] }

/** Stubs of VIES and HMRC. VIES reports validity in a JSON field; HMRC requires a token and responds with 404 for an unknown number. */
export async function startTaxOfficeServer(): Promise<TaxOfficeServer> {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const offices: TaxOfficeServer = {
    addresses: { vies: `${url}/vies`, hmrc: `${url}/hmrc` },
    asked: [],
    answer: null,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const json = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const path = request.url ?? ''
    offices.asked.push({ method: request.method ?? '', path, accept: request.headers.accept, body })
    if (offices.answer) return offices.answer(request, response)
    if (path === '/vies/check-vat-number') {
      const { countryCode, vatNumber } = JSON.parse(body) as { countryCode: string; vatNumber: string }
      return json(response, 200, {
        countryCode,
        vatNumber,
        valid: KNOWN.vies.includes(countryCode + vatNumber),
        name: '---',
        address: '---',
      })
    }
    if (path === '/hmrc/oauth/token') {
      const given = new URLSearchParams(body)
      const right = given.get('grant_type') === 'client_credentials' && given.get('client_secret') === 'secret-of-the-test'
      return right
        ? json(response, 200, { access_token: 'token-1', token_type: 'bearer', expires_in: 14_400 })
        : json(response, 401, { error: 'invalid_client' })
    }
    if (request.headers.authorization !== 'Bearer token-1') return json(response, 401, { code: 'INVALID_CREDENTIALS' })
    const number = path.split('/').at(-1)!
    return KNOWN.hmrc.includes(number)
      ? json(response, 200, { target: { name: 'Somebody', vatNumber: number }, processingDate: '2026-04-10T10:00:00Z' })
      : json(response, 404, { code: 'NOT_FOUND', message: 'targetVrn does not match a registered company' })
  }
  return offices
}
