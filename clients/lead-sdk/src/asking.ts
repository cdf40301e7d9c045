import { leadErrorOf, type LeadError } from './errors.js'

export type Fetch = typeof fetch

/** Browsers refuse to run `fetch` as a method of another object, so the call is wrapped. */
export const ownFetch: Fetch = (input, init) => fetch(input, init)

export interface Answer {
  ok: boolean
  body: unknown
  /** The error to throw if the response is not the expected one. */
  refusal: LeadError
}

/** Sends a request to the service and parses the response. */
export async function ask(by: Fetch, address: string, init: RequestInit = {}): Promise<Answer> {
  let answer: Response
  try {
    answer = await by(address, { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer', ...init })
  } catch {
    // The original error is dropped, because its message may contain the URL and with it the activation code.
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
    // A 200 response without a lead is not from the service, but usually from the sign-in page of a Wi-Fi network. A retry may succeed.
    status: answer.ok ? 0 : answer.status,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  })
}
