import { leadErrorOf, type LeadError } from './errors.js'

export type Fetch = typeof fetch

/** Called as a method of anything else, the browser's own refuses to run. */
export const ownFetch: Fetch = (input, init) => fetch(input, init)

export interface Answer {
  ok: boolean
  body: unknown
  /** What it comes to where it is none of the answers one hoped for. */
  refusal: LeadError
}

/** Asks the service, and reads what it answers. */
export async function ask(by: Fetch, address: string, init: RequestInit = {}): Promise<Answer> {
  let answer: Response
  try {
    answer = await by(address, { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer', ...init })
  } catch {
    // What it says may hold the address, and with it the activation code.
    throw leadErrorOf({ code: 'no_connection', message: 'No connection to the service', status: 0 })
  }
  const body: unknown = await answer.json().catch(() => null)
  return { ok: answer.ok, body, refusal: refusalOf(answer, body) }
}

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function refusalOf(answer: Response, body: unknown): LeadError {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const { code, message } = error as { code?: unknown; message?: unknown }
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  return leadErrorOf({
    code: typeof code === 'string' ? code : 'unexpected_answer',
    message: typeof message === 'string' ? message : `The service answered with status ${answer.status}`,
    // Whoever answers 200 without a lead is not the service: a page to sign in to the network, most often. It may be there later.
    status: answer.ok ? 0 : answer.status,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  })
}
