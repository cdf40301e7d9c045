import { AppError, type FieldError, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { checkRequest, isDotSegment } from './check-request.ts'
import { encodeName, encodePart, FILTERS, isFilter, isHeaderText } from './encoding.ts'
import { type Part, parseTemplate, type Placeholder, placeholdersOf, spelled } from './placeholders.ts'
import { mapTexts, readBody, textsOf, writeBody } from './request-body.ts'
import { type DirectoryInput, type DirectoryInputs, type DirectoryRequest, INPUTS, type SecretOf } from './spec.ts'

export { parseTemplate } from './placeholders.ts'
export { checkRequest } from './check-request.ts'

export interface BuiltRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

export interface RequestValues {
  baseUrl: string
  settings: Readonly<Record<string, string>>
  inputs: DirectoryInputs
  secretOf: SecretOf
  /** Where the page starts, of requests that page by offset. */
  offset?: string
}

/** What stands in a placeholder's place; `plain` is for previews, which show it as it is written. */
type Fill = (placeholder: Placeholder) => { text: string; plain?: boolean }

const MAX_INPUT = 500

/** The request as it is sent. Throws when a value is missing, or has no safe form in its place. */
export function buildRequest(request: DirectoryRequest, values: RequestValues): BuiltRequest {
  refuse(checkRequest(request, namesUsed(request, values)))
  return render(request, values.baseUrl, (placeholder) => ({ text: valueOf(placeholder, values) }))
}

/** Sample inputs, secrets by their names: fit to be shown. */
export function previewRequest(
  request: DirectoryRequest,
  { baseUrl, settings, inputs = SAMPLE_INPUTS }: { baseUrl: string; settings: Readonly<Record<string, string>>; inputs?: DirectoryInputs },
): BuiltRequest {
  return render(request, baseUrl, (placeholder) => {
    const { of, name } = placeholder
    if (of === 'page') return { text: '0' }
    const text = of === 'input' ? inputs[name as keyof DirectoryInputs] : of === 'setting' ? own(settings, name) : undefined
    return text ? { text } : { text: spelled(placeholder), plain: true }
  })
}

export const SAMPLE_INPUTS: Required<DirectoryInputs> = {
  email: 'anna.muster@example.org',
  memberNumber: '10042',
  lastName: 'Muster',
  postalCode: '10115',
}

/**
 * Why what a person gave has no form in which it can be sent, or null. Nobody is known by such a text, and the connection is not to
 * blame: with other inputs the same request can be sent.
 */
export function unsendableBy(
  request: DirectoryRequest,
  { inputs, ...place }: Pick<RequestValues, 'baseUrl' | 'settings' | 'inputs'>,
): string | null {
  const refusal = (build: () => unknown): string | null => {
    try {
      build()
      return null
    } catch (error) {
      if (error instanceof AppError) return error.message
      throw error
    }
  }
  const given = inputsNeeded(request).filter((name) => inputs[name as DirectoryInput]?.trim())
  const asSent = () => Object.fromEntries(given.map((name) => [name, inputValue(name, inputs)]))
  const why = refusal(() => previewRequest(request, { ...place, inputs: asSent() }))
  return why === null || refusal(() => previewRequest(request, place)) !== null ? null : why
}

/** The inputs a request cannot do without, because its templates use them. */
export function inputsNeeded(request: DirectoryRequest): string[] {
  return namesOf(request, 'input')
}

export const credentialsUsed = (request: DirectoryRequest): string[] => namesOf(request, 'secret')
export const settingsUsed = (request: DirectoryRequest): string[] => namesOf(request, 'setting')

function namesOf(request: DirectoryRequest, of: string): string[] {
  const body = hasBody(request) ? textsOf(readBody(request.body!)).values.map(({ text }) => text) : []
  const texts = [request.path, ...Object.values(request.query), ...Object.values(request.headers), ...body]
  const names = texts.flatMap((text) => placeholdersOf(parseTemplate(text))).filter((one) => one.of === of)
  return [...new Set(names.map(({ name }) => name))]
}

/** An address of the connection's own, such as where tokens come from: `{base}` and settings only. */
export function renderAddress(text: string, baseUrl: string, settings: Readonly<Record<string, string>>): string {
  return renderText(text.replaceAll('{base}', trimSlash(baseUrl)), encodePart, ({ of, name }) => {
    const value = of === 'setting' ? own(settings, name) : undefined
    if (!value) throw preconditionFailed(`The setting ${name} is not set`)
    return { text: value }
  })
}

function render(request: DirectoryRequest, baseUrl: string, fill: Fill): BuiltRequest {
  const path = renderText(request.path, encodePart, fill)
  if (path.split('/').some(isDotSegment)) throw invalidArguments([{ path: '', message: 'A value cannot stand as a step of the path' }])
  const query = Object.entries(request.query).map(([name, text]) => `${encodeName(name)}=${renderText(text, encodePart, fill, encodePart)}`)
  const headers: Record<string, string> = { accept: 'application/json' }
  for (const [name, text] of Object.entries(request.headers)) headers[name.toLowerCase()] = headerText(renderText(text, asIs, fill))
  const built = { method: request.method, url: trimSlash(baseUrl) + path + (query.length > 0 ? `?${query.join('&')}` : ''), headers }
  if (!hasBody(request)) return built
  const document = mapTexts(readBody(request.body!), (text) => renderText(text, asIs, fill))
  headers['content-type'] ??= request.bodyType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
  return { ...built, body: writeBody(document, request.bodyType) }
}

function renderText(text: string, encode: (text: string) => string, fill: Fill, encodeLiteral: (text: string) => string = asIs): string {
  return parseTemplate(text)
    .map((part: Part) => {
      if (typeof part === 'string') return encodeLiteral(part)
      const { text: value, plain = false } = fill(part)
      return plain ? value : encode(filtered(value, part.filters))
    })
    .join('')
}

const filtered = (text: string, filters: readonly string[]) =>
  filters.reduce((value, filter) => (isFilter(filter) ? FILTERS[filter](value) : value), text)

function valueOf({ of, name }: Placeholder, { settings, inputs, secretOf, offset }: RequestValues): string {
  if (of === 'input') return inputValue(name, inputs)
  if (of === 'page') return offset ?? '0'
  const value = of === 'setting' ? own(settings, name) : secretOf(name)?.reveal()
  if (!value) throw preconditionFailed(of === 'setting' ? `The setting ${name} is not set` : `The credential ${name} is not set`)
  return value
}

/** An empty one is never sent: many directories would answer with everybody. */
function inputValue(name: string, inputs: DirectoryInputs): string {
  const value = inputs[name as keyof DirectoryInputs]?.trim().toWellFormed() ?? ''
  if (value === '') throw preconditionFailed(`The input ${name} is needed`)
  if (value.length > MAX_INPUT) throw invalidArguments([{ path: '', message: `The input ${name} is longer than ${MAX_INPUT} characters` }])
  return value
}

function headerText(text: string): string {
  if (!isHeaderText(text)) throw invalidArguments([{ path: '', message: 'A value holds characters that a header cannot carry' }])
  return text
}

/** Whether a name is right was told when the request was saved; here only the places of the placeholders matter. */
function namesUsed(request: DirectoryRequest, { settings }: RequestValues) {
  return { inputs: INPUTS, settings: [...Object.keys(settings), ...settingsUsed(request)], credentials: credentialsUsed(request) }
}

function refuse(issues: readonly FieldError[]): void {
  if (issues.length > 0) throw invalidArguments(issues)
}

const own = (values: Readonly<Record<string, string>>, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)
const hasBody = ({ body, method }: DirectoryRequest) => method === 'POST' && body !== undefined && body.trim() !== ''
function trimSlash(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

const asIs = (text: string) => text
