import { AppError, type FieldError, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { checkDirectoryRequest, isDotSegment } from './check-request.ts'
import { encodeParameterName, encodeUrlPart, QUERY_ESCAPERS_BY_LANGUAGE, isQueryEscapeFilterName, isValidHeaderValue } from './encoding.ts'
import { type TemplatePart, parseTemplate, type Placeholder, pickPlaceholders, formatPlaceholder } from './placeholders.ts'
import { replaceRequestBodyStrings, parseBodyTemplate, listRequestBodyStrings, serializeBody } from './request-body.ts'
import {
  type DirectoryLookupInput,
  type DirectoryLookupInputs,
  type DirectoryRequest,
  DIRECTORY_LOOKUP_INPUTS,
  type GetSecret,
} from './spec.ts'

export { parseTemplate } from './placeholders.ts'
export { checkDirectoryRequest } from './check-request.ts'

export interface DirectoryHttpRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

export interface RequestTemplateValues {
  baseUrl: string
  settings: Readonly<Record<string, string>>
  inputs: DirectoryLookupInputs
  secretOf: GetSecret
  /** Index of the first record on the page, for requests with offset paging. */
  offset?: string
}

/** Returns the text for a placeholder. If `plain` is true, the text is inserted unencoded, for previews. */
type PlaceholderValue = (placeholder: Placeholder) => { text: string; plain?: boolean }

const MAX_INPUT_CHARACTERS = 500

/** Builds the request to send. Throws if a value is missing or cannot be encoded safely. */
export function buildRequest(request: DirectoryRequest, values: RequestTemplateValues): DirectoryHttpRequest {
  rejectIssues(checkDirectoryRequest(request, namesUsed(request, values)))
  return render(request, values.baseUrl, (placeholder) => ({ text: valueOf(placeholder, values) }))
}

/** Shows a request with sample inputs, and with the names of secrets instead of their values. */
export function previewRequest(
  request: DirectoryRequest,
  {
    baseUrl,
    settings,
    inputs = SAMPLE_LOOKUP_INPUTS,
  }: { baseUrl: string; settings: Readonly<Record<string, string>>; inputs?: DirectoryLookupInputs },
): DirectoryHttpRequest {
  return render(request, baseUrl, (placeholder) => {
    const { of, name } = placeholder
    if (of === 'page') return { text: '0' }
    const text = of === 'input' ? inputs[name as keyof DirectoryLookupInputs] : of === 'setting' ? getOwn(settings, name) : undefined
    return text ? { text } : { text: formatPlaceholder(placeholder), plain: true }
  })
}

export const SAMPLE_LOOKUP_INPUTS: Required<DirectoryLookupInputs> = {
  email: 'anna.muster@example.org',
  memberNumber: '10042',
  lastName: 'Muster',
  postalCode: '10115',
}

/**
 * Returns the reason why the given inputs cannot be sent, or null. Such inputs match no person and are no error of the connection: the
 * same request works with the sample inputs.
 */
export function findInvalidInputReason(
  request: DirectoryRequest,
  { inputs, ...place }: Pick<RequestTemplateValues, 'baseUrl' | 'settings' | 'inputs'>,
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
  const given = listRequiredInputs(request).filter((name) => inputs[name as DirectoryLookupInput]?.trim())
  const asSent = () => Object.fromEntries(given.map((name) => [name, inputValue(name, inputs)]))
  const why = refusal(() => previewRequest(request, { ...place, inputs: asSent() }))
  return why === null || refusal(() => previewRequest(request, place)) !== null ? null : why
}

/** Returns the names of the inputs that the request's templates use. */
export function listRequiredInputs(request: DirectoryRequest): string[] {
  return namesOf(request, 'input')
}

export const listUsedCredentials = (request: DirectoryRequest): string[] => namesOf(request, 'secret')
export const listUsedSettings = (request: DirectoryRequest): string[] => namesOf(request, 'setting')

function namesOf(request: DirectoryRequest, of: string): string[] {
  const body = hasBody(request) ? listRequestBodyStrings(parseBodyTemplate(request.body!)).values.map(({ text }) => text) : []
  const texts = [request.path, ...Object.values(request.query), ...Object.values(request.headers), ...body]
  const names = texts.flatMap((text) => pickPlaceholders(parseTemplate(text))).filter((one) => one.of === of)
  return [...new Set(names.map(({ name }) => name))]
}

/** Fills in the template of a URL such as the token URL. Its only placeholders are `{base}` and settings of the connection. */
export function renderUrlTemplate(text: string, baseUrl: string, settings: Readonly<Record<string, string>>): string {
  return renderText(text.replaceAll('{base}', trimSlash(baseUrl)), encodeUrlPart, ({ of, name }) => {
    const value = of === 'setting' ? getOwn(settings, name) : undefined
    if (!value) throw preconditionFailed(`The setting ${name} is not set`)
    return { text: value }
  })
}

function render(request: DirectoryRequest, baseUrl: string, fill: PlaceholderValue): DirectoryHttpRequest {
  const path = renderText(request.path, encodeUrlPart, fill)
  if (path.split('/').some(isDotSegment)) throw invalidArguments([{ path: '', message: 'A value is not allowed as a path segment' }])
  const query = Object.entries(request.query).map(
    ([name, text]) => `${encodeParameterName(name)}=${renderText(text, encodeUrlPart, fill, encodeUrlPart)}`,
  )
  const headers: Record<string, string> = { accept: 'application/json' }
  for (const [name, text] of Object.entries(request.headers)) headers[name.toLowerCase()] = headerText(renderText(text, identity, fill))
  const built = { method: request.method, url: trimSlash(baseUrl) + path + (query.length > 0 ? `?${query.join('&')}` : ''), headers }
  if (!hasBody(request)) return built
  const document = replaceRequestBodyStrings(parseBodyTemplate(request.body!), (text) => renderText(text, identity, fill))
  headers['content-type'] ??= request.bodyType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
  return { ...built, body: serializeBody(document, request.bodyType) }
}

function renderText(
  text: string,
  encode: (text: string) => string,
  fill: PlaceholderValue,
  encodeLiteral: (text: string) => string = identity,
): string {
  return parseTemplate(text)
    .map((part: TemplatePart) => {
      if (typeof part === 'string') return encodeLiteral(part)
      const { text: value, plain = false } = fill(part)
      return plain ? value : encode(filtered(value, part.filters))
    })
    .join('')
}

const filtered = (text: string, filters: readonly string[]) =>
  filters.reduce((value, filter) => (isQueryEscapeFilterName(filter) ? QUERY_ESCAPERS_BY_LANGUAGE[filter](value) : value), text)

function valueOf({ of, name }: Placeholder, { settings, inputs, secretOf, offset }: RequestTemplateValues): string {
  if (of === 'input') return inputValue(name, inputs)
  if (of === 'page') return offset ?? '0'
  const value = of === 'setting' ? getOwn(settings, name) : secretOf(name)?.reveal()
  if (!value) throw preconditionFailed(of === 'setting' ? `The setting ${name} is not set` : `The credential ${name} is not set`)
  return value
}

/** Returns the value of an input. Throws if it is empty, because many directories would return all records. */
function inputValue(name: string, inputs: DirectoryLookupInputs): string {
  const value = inputs[name as keyof DirectoryLookupInputs]?.trim().toWellFormed() ?? ''
  if (value === '') throw preconditionFailed(`The input ${name} is required`)
  if (value.length > MAX_INPUT_CHARACTERS)
    throw invalidArguments([{ path: '', message: `The input ${name} is longer than ${MAX_INPUT_CHARACTERS} characters` }])
  return value
}

function headerText(text: string): string {
  if (!isValidHeaderValue(text))
    throw invalidArguments([{ path: '', message: 'A value contains characters that are not allowed in a header' }])
  return text
}

/**
 * Returns the names that the request uses. They were checked when the request was saved, so here every name is accepted, and only the
 * positions of placeholders are checked.
 */
function namesUsed(request: DirectoryRequest, { settings }: RequestTemplateValues) {
  return {
    inputs: DIRECTORY_LOOKUP_INPUTS,
    settings: [...Object.keys(settings), ...listUsedSettings(request)],
    credentials: listUsedCredentials(request),
  }
}

function rejectIssues(issues: readonly FieldError[]): void {
  if (issues.length > 0) throw invalidArguments(issues)
}

const getOwn = (values: Readonly<Record<string, string>>, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)
const hasBody = ({ body, method }: DirectoryRequest) => method === 'POST' && body !== undefined && body.trim() !== ''
function trimSlash(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

const identity = (text: string) => text
