/** An error response for programs. Programs decide by `code`; `detail` is for people who read the log. */
export interface HttpProblem {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 415 | 429 | 500 | 503
  /** The error code, such as `badge_not_found`. A code never changes, and it is the anchor of its section in the documentation. */
  code: string
  detail: string
  /** All invalid parameters of the request, so that the caller can fix them in one attempt. */
  errors?: readonly { parameter: string; message: string }[]
  /** The number of seconds after which the client may retry. */
  retryAfter?: number
}

/** The base URL of the server that responded, and the reference under which its log contains the error. */
interface Occurrence {
  baseUrl: string
  reference: string
}

/** The problem document of RFC 9457 (`application/problem+json`). */
export const buildProblemBody = ({ status, code, detail, errors, retryAfter }: HttpProblem, { baseUrl, reference }: Occurrence) => ({
  type: `${baseUrl}/docs/errors#${code}`,
  title: titleOf(code),
  status,
  detail,
  code,
  instance: reference,
  ...(errors ? { errors } : {}),
  ...(retryAfter === undefined ? {} : { retryAfter }),
})

export const buildProblemHeaders = ({ retryAfter }: HttpProblem): Record<string, string> => ({
  'content-type': 'application/problem+json',
  ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
})

/** The title is derived from the code: `badge_not_found` becomes "Badge not found". */
const titleOf = (code: string) => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')
