import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { cleanText } from '../../../kernel/outside-text.ts'
import { FILTERS, isFilter, isHeaderName, isHeaderText } from './encoding.ts'
import { checkPath } from './json-path.ts'
import { type Part, parseTemplate, type Placeholder, placeholdersOf, spelled } from './placeholders.ts'
import { isFields, readBody, textsOf } from './request-body.ts'
import type { DirectoryRequest } from './spec.ts'

/** The names that placeholders may use. */
export interface KnownNames {
  settings: readonly string[]
  credentials: readonly string[]
  inputs: readonly string[]
}

export const MAX_PAGES = 5

/** What frames the message, names its host or carries a session is never the template's. */
const NOT_OURS_TO_SET =
  /^(host|content-length|cookie|connection|keep-alive|transfer-encoding|accept-encoding|te|trailer|upgrade|expect|proxy-.*)$/i

interface Text {
  place: 'path' | 'query' | 'header' | 'body'
  at: string
  text: string
}

export function checkRequest(request: DirectoryRequest, known: KnownNames): FieldError[] {
  const body = bodyOf(request)
  const texts: Text[] = [
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
  const literal = partsOf(path)
    .filter((part) => typeof part === 'string')
    .join('')
  if (/[?#]/.test(literal)) return wrong('must not hold ? or #; parameters go into query')
  if (/[\\\s]/.test(literal)) return wrong('must not hold blanks or backslashes')
  return path.split('/').some(isDotSegment) ? wrong('must not hold . or .. as a step') : []
}

/** Also in its encoded spelling, which servers and URL parsers read alike. */
export const isDotSegment = (segment: string): boolean => /^\.{1,2}$/.test(segment.replace(/%2e/gi, '.'))

function checkHeader(name: string): FieldError[] {
  const at = `headers/${cleanText(name, 60)}`
  if (NOT_OURS_TO_SET.test(name.trim())) return [{ path: at, message: `the header ${cleanText(name, 60)} cannot be set` }]
  return isHeaderName(name) ? [] : [{ path: at, message: 'is not the name of a header' }]
}

const noPlaceholder = (text: string, path: string, what: string): FieldError[] =>
  text.includes('{{') ? [{ path, message: `a placeholder cannot stand in ${what}` }] : []

function bodyOf(request: DirectoryRequest): { texts: Text[]; issues: FieldError[] } {
  const { body, method, bodyType } = request
  if (body === undefined || body.trim() === '') return { texts: [], issues: [] }
  if (method === 'GET') return { texts: [], issues: [{ path: 'body', message: 'a GET request has no body; use POST or query' }] }
  try {
    const document = readBody(body)
    if (bodyType === 'form' && !isFields(document))
      return { texts: [], issues: [{ path: 'body', message: 'the body of a form is a JSON object of its fields' }] }
    const { values, keys } = textsOf(document)
    return {
      texts: values.map(({ at, text }) => ({ place: 'body', at: `body${at}`, text })),
      issues: keys.flatMap(({ at, text }) => noPlaceholder(text, `body${at}`, 'a key of the body')),
    }
  } catch (error) {
    return { texts: [], issues: [{ path: 'body', message: (error as AppError).message }] }
  }
}

function checkText({ place, at, text }: Text, request: DirectoryRequest, known: KnownNames): FieldError[] {
  let parts: Part[]
  try {
    parts = parseTemplate(text)
  } catch (error) {
    return [{ path: at, message: (error as AppError).message }]
  }
  const literal = parts.filter((part) => typeof part === 'string').join('')
  return [
    ...(place === 'header' && !isHeaderText(literal) ? [{ path: at, message: 'holds characters that a header cannot carry' }] : []),
    ...placeholdersOf(parts).flatMap((placeholder) =>
      checkPlaceholder(placeholder, place, request, known).map((message) => ({ path: at, message })),
    ),
    ...(place === 'query' || place === 'body' ? unguarded(parts).map((message) => ({ path: at, message })) : []),
  ]
}

function checkPlaceholder(placeholder: Placeholder, place: Text['place'], request: DirectoryRequest, known: KnownNames): string[] {
  const { of, name, filters } = placeholder
  const issues = filters.filter((filter) => !isFilter(filter)).map(unknownFilter)
  const names = [
    ...known.inputs.map((one) => `input.${one}`),
    ...known.settings.map((one) => `setting.${one}`),
    ...known.credentials.map((one) => `secret.${one}`),
    ...(request.paging?.kind === 'offset' ? ['page.offset'] : []),
  ]
  if (of === 'secret' && place === 'path')
    return [...issues, `${spelled(placeholder)} cannot stand in a path, which servers write into their logs`]
  if (!names.includes(`${of}.${name}`)) {
    const near = nearest(`${of}.${name}`, names)
    return [
      ...issues,
      `unknown placeholder ${spelled(placeholder)}${near ? `; did you mean {{${near}}}?` : ` (known: ${names.join(', ')})`}`,
    ]
  }
  if (of === 'input' && !request.inputs.some((input) => input === name))
    return [...issues, `${spelled(placeholder)} is used, but ${name} is not among inputs`]
  return issues
}

const unknownFilter = (filter: string): string => {
  const known = Object.keys(FILTERS)
  return `unknown filter ${filter}; did you mean ${nearest(filter, known) ?? known.join(' or ')}?`
}

const OPERATOR = /(?:^|\s)(?:eq|ne|gt|ge|lt|le|like|in|where|and|or|not)\s|[=<>(]\s*$/i

/**
 * Where the template is a sentence of a query language, encoding alone does not keep a value in its place: it has to stand in single
 * quotes, and its own quotes have to be escaped.
 */
function unguarded(parts: readonly Part[]): string[] {
  const literals = parts.filter((part) => typeof part === 'string')
  const isExpression = literals.some((text) => /['"]/.test(text) || OPERATOR.test(text))
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
        ? `${spelled(part)} stands in double quotes, which a value could close; ${how}`
        : `${spelled(part)} needs quotes and a filter here; ${how}`,
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
    const message = checkPath(text)
    return message ? [{ path, message }] : []
  })
}

function checkPaging({ paging }: DirectoryRequest, texts: readonly Text[]): FieldError[] {
  if (!paging) return []
  const issues: FieldError[] = []
  if (!Number.isInteger(paging.maxPages) || paging.maxPages < 1 || paging.maxPages > MAX_PAGES)
    issues.push({ path: 'paging/maxPages', message: `must be 1 to ${MAX_PAGES}` })
  if (paging.kind === 'offset' && !texts.some(({ text }) => placeholdersOf(partsOf(text)).some(({ of }) => of === 'page')))
    issues.push({ path: 'paging/kind', message: 'paging by offset needs {{page.offset}} in query or body' })
  return issues
}

/** A template that does not parse is reported once, where its text is checked. */
function partsOf(text: string): Part[] {
  try {
    return parseTemplate(text)
  } catch {
    return []
  }
}
