import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { findMostSimilarName } from '../../../kernel/nearest.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { QUERY_ESCAPERS_BY_LANGUAGE, isQueryEscapeFilterName, isValidHeaderName, isValidHeaderValue } from './encoding.ts'
import { checkJsonPath } from './json-path.ts'
import { type TemplatePart, parseTemplate, type Placeholder, pickPlaceholders, formatPlaceholder } from './placeholders.ts'
import { isRequestBodyObject, parseBodyTemplate, listRequestBodyStrings } from './request-body.ts'
import type { DirectoryRequest } from './spec.ts'

export interface KnownPlaceholderNames {
  settings: readonly string[]
  credentials: readonly string[]
  inputs: readonly string[]
}

export const MAX_DIRECTORY_PAGES = 5

/** Headers that a request template cannot set, because they delimit the message, name the host or contain cookies. */
const FORBIDDEN_HEADER =
  /^(host|content-length|cookie|connection|keep-alive|transfer-encoding|accept-encoding|te|trailer|upgrade|expect|proxy-.*)$/i

interface TemplateText {
  place: 'path' | 'query' | 'header' | 'body'
  at: string
  text: string
}

export function checkDirectoryRequest(request: DirectoryRequest, known: KnownPlaceholderNames): FieldError[] {
  const body = checkBody(request)
  const texts: TemplateText[] = [
    { place: 'path', at: 'path', text: request.path },
    ...Object.entries(request.query).map(([name, text]) => ({ place: 'query' as const, at: `query/${name}`, text })),
    ...Object.entries(request.headers).map(([name, text]) => ({ place: 'header' as const, at: `headers/${name}`, text })),
    ...body.texts,
  ]
  return [
    ...checkPathText(request.path),
    ...Object.keys(request.query).flatMap((name) => noPlaceholder(name, `query/${name}`, 'the name of a parameter')),
    ...Object.keys(request.headers).flatMap(checkHeader),
    ...body.issues,
    ...texts.flatMap((text) => checkText(text, request, known)),
    ...checkExpressions(request),
    ...checkPaging(request, texts),
  ]
}

function checkPathText(path: string): FieldError[] {
  const wrong = (message: string) => [{ path: 'path', message }]
  if (/^\w+:|^\/\//.test(path)) return wrong('must be a path such as /api/members; the host is the baseUrl of the connection')
  if (!path.startsWith('/') && path !== '') return wrong('must start with /, so that no placeholder becomes part of the host')
  const literal = parseTemplateOrEmpty(path)
    .filter((part) => typeof part === 'string')
    .join('')
  if (/[?#]/.test(literal)) return wrong('must not contain ? or #; parameters go into query')
  if (/[\\\s]/.test(literal)) return wrong('must not contain spaces or backslashes')
  return path.split('/').some(isDotSegment) ? wrong('must not contain . or .. as a segment') : []
}

/** Whether a path segment is `.` or `..`, also percent-encoded, which servers and URL parsers treat the same. */
export const isDotSegment = (segment: string): boolean => /^\.{1,2}$/.test(segment.replace(/%2e/gi, '.'))

function checkHeader(name: string): FieldError[] {
  const at = `headers/${cleanText(name, 60)}`
  if (FORBIDDEN_HEADER.test(name.trim())) return [{ path: at, message: `the header ${cleanText(name, 60)} cannot be set` }]
  return isValidHeaderName(name) ? [] : [{ path: at, message: 'is not the name of a header' }]
}

const noPlaceholder = (text: string, path: string, what: string): FieldError[] =>
  text.includes('{{') ? [{ path, message: `a placeholder is not allowed in ${what}` }] : []

function checkBody(request: DirectoryRequest): { texts: TemplateText[]; issues: FieldError[] } {
  const { body, method, bodyType } = request
  if (body === undefined || body.trim() === '') return { texts: [], issues: [] }
  if (method === 'GET') return { texts: [], issues: [{ path: 'body', message: 'a GET request has no body; use POST or query' }] }
  try {
    const document = parseBodyTemplate(body)
    if (bodyType === 'form' && !isRequestBodyObject(document))
      return { texts: [], issues: [{ path: 'body', message: 'the body of a form is a JSON object of its fields' }] }
    const { values, keys } = listRequestBodyStrings(document)
    return {
      texts: values.map(({ at, text }) => ({ place: 'body', at: `body${at}`, text })),
      issues: keys.flatMap(({ at, text }) => noPlaceholder(text, `body${at}`, 'a key of the body')),
    }
  } catch (error) {
    return { texts: [], issues: [{ path: 'body', message: (error as AppError).message }] }
  }
}

function checkText({ place, at, text }: TemplateText, request: DirectoryRequest, known: KnownPlaceholderNames): FieldError[] {
  let parts: TemplatePart[]
  try {
    parts = parseTemplate(text)
  } catch (error) {
    return [{ path: at, message: (error as AppError).message }]
  }
  const literal = parts.filter((part) => typeof part === 'string').join('')
  return [
    ...(place === 'header' && !isValidHeaderValue(literal)
      ? [{ path: at, message: 'contains characters that are not allowed in a header' }]
      : []),
    ...pickPlaceholders(parts).flatMap((placeholder) =>
      checkPlaceholder(placeholder, place, request, known).map((message) => ({ path: at, message })),
    ),
    ...(place === 'query' || place === 'body' ? checkQuoting(parts).map((message) => ({ path: at, message })) : []),
  ]
}

function checkPlaceholder(
  placeholder: Placeholder,
  place: TemplateText['place'],
  request: DirectoryRequest,
  known: KnownPlaceholderNames,
): string[] {
  const { of, name, filters } = placeholder
  const issues = filters.filter((filter) => !isQueryEscapeFilterName(filter)).map(unknownFilter)
  const names = [
    ...known.inputs.map((one) => `input.${one}`),
    ...known.settings.map((one) => `setting.${one}`),
    ...known.credentials.map((one) => `secret.${one}`),
    ...(request.paging?.kind === 'offset' ? ['page.offset'] : []),
  ]
  if (of === 'secret' && place === 'path')
    return [...issues, `${formatPlaceholder(placeholder)} is not allowed in a path, because servers log paths`]
  if (!names.includes(`${of}.${name}`)) {
    const near = findMostSimilarName(`${of}.${name}`, names)
    return [
      ...issues,
      `unknown placeholder ${formatPlaceholder(placeholder)}${near ? `; did you mean {{${near}}}?` : ` (known: ${names.join(', ')})`}`,
    ]
  }
  if (of === 'input' && !request.inputs.some((input) => input === name))
    return [...issues, `${formatPlaceholder(placeholder)} is used, but ${name} is not among inputs`]
  return issues
}

const unknownFilter = (filter: string): string => {
  const known = Object.keys(QUERY_ESCAPERS_BY_LANGUAGE)
  return `unknown filter ${filter}; did you mean ${findMostSimilarName(filter, known) ?? known.join(' or ')}?`
}

const QUERY_OPERATOR = /(?:^|\s)(?:eq|ne|gt|ge|lt|le|like|in|where|and|or|not)\s|[=<>(]\s*$/i

/**
 * Checks placeholders in query languages such as SOQL and OData. URL encoding alone does not prevent injection there: the placeholder
 * must be in single quotes and use a filter that escapes quotes.
 */
function checkQuoting(parts: readonly TemplatePart[]): string[] {
  const literals = parts.filter((part) => typeof part === 'string')
  const isExpression = literals.some((text) => /['"]/.test(text) || QUERY_OPERATOR.test(text))
  if (!isExpression) return []
  let before = ''
  return parts.flatMap((part) => {
    if (typeof part === 'string') {
      before += part
      return []
    }
    const inSingle = count(before, "'") % 2 === 1
    const inDouble = !inSingle && count(before, '"') % 2 === 1
    if (part.of !== 'input' || (inSingle && part.filters.length > 0)) return []
    const how = `write '{{input.${part.name} | odata}}' or '{{input.${part.name} | soql}}'`
    return [
      inDouble
        ? `${formatPlaceholder(part)} is in double quotes, which a value could close; ${how}`
        : `${formatPlaceholder(part)} needs quotes and a filter here; ${how}`,
    ]
  })
}

const count = (text: string, sign: string): number => text.split(sign).length - 1

function checkExpressions({ resultPath, foundWhen, paging }: DirectoryRequest): FieldError[] {
  const expressions = {
    resultPath,
    ...(foundWhen ? { foundWhen } : {}),
    ...(paging ? { 'paging/nextPath': paging.nextPath } : {}),
    ...(paging?.itemPath ? { 'paging/itemPath': paging.itemPath } : {}),
  }
  return Object.entries(expressions).flatMap(([path, text]) => {
    const message = checkJsonPath(text)
    return message ? [{ path, message }] : []
  })
}

function checkPaging({ paging }: DirectoryRequest, texts: readonly TemplateText[]): FieldError[] {
  if (!paging) return []
  const issues: FieldError[] = []
  if (!Number.isInteger(paging.maxPages) || paging.maxPages < 1 || paging.maxPages > MAX_DIRECTORY_PAGES)
    issues.push({ path: 'paging/maxPages', message: `must be 1 to ${MAX_DIRECTORY_PAGES}` })
  if (paging.kind === 'offset' && !texts.some(({ text }) => pickPlaceholders(parseTemplateOrEmpty(text)).some(({ of }) => of === 'page')))
    issues.push({ path: 'paging/kind', message: 'paging by offset needs {{page.offset}} in query or body' })
  return issues
}

/** Parses a template. Returns no parts if the template is invalid, because `checkText` reports the error. */
function parseTemplateOrEmpty(text: string): TemplatePart[] {
  try {
    return parseTemplate(text)
  } catch {
    return []
  }
}
