import { validateConditionTree, isConditionMet, type SingleCondition, normalizeTextForComparison } from '../../../kernel/conditions.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { findMostSimilarName } from '../../../kernel/nearest.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { isCalendarDay } from '../../../kernel/time.ts'
import { findCountryCode } from '../../../kernel/country-names.ts'
import { readDate } from './dates.ts'
import { checkJsonPath, parseJsonPath, readJsonPath } from './json-path.ts'
import type { DirectoryFieldMapping, DirectoryConnectionSpec, DirectoryTagRule } from './spec.ts'
import { applyTransform, checkTransform, toScalarText, type TransformContext } from './transforms.ts'

export interface MappingTarget {
  type: string
  /** Codes of the field's choices, optionally with the names that a directory may use instead. */
  choices?: readonly (string | { code: string; name?: string })[] | undefined
}

export interface MappedField {
  to: string
  /** Whether the directory record contains a value for the field. */
  present: boolean
  type: string
  /** Whether the directory's value is valid for the field. */
  valid: boolean
  value: unknown
}

export interface MappingResult {
  answers: Record<string, unknown>
  modes: Record<string, DirectoryFieldMapping['mode']>
  mapped: MappedField[]
  tags: string[]
  warnings: string[]
}

export interface MappingOptions extends TransformContext {
  targets: ReadonlyMap<string, MappingTarget>
  /** Time zone of the event, needed to compare a day with a point in time. */
  zone?: string
}

/**
 * Maps a directory record to answers and tags. Only values that are valid for their field become answers; warnings name the path, never
 * the value.
 */
export function mapDirectoryRecord(
  spec: Pick<DirectoryConnectionSpec, 'bindings' | 'tagRules'>,
  record: unknown,
  options: MappingOptions,
): MappingResult {
  const result: MappingResult = {
    answers: {},
    modes: {},
    mapped: [],
    tags: evaluateTagRules(spec.tagRules, record, options.zone),
    warnings: [],
  }
  for (const { from, to, transform, mode } of spec.bindings) {
    const target = options.targets.get(to)
    if (!target) {
      result.warnings.push(`${to} is no longer a field of this event`)
      continue
    }
    const found = valueAt(record, from)
    const made = transform && found !== null ? applyTransform(transform, found, options) : found
    const value = made === undefined || made === null ? null : toFieldValue(made, target, options)
    const present = !isEmpty(found)
    const valid = value !== null
    result.mapped.push({ to, present, type: target.type, valid: valid || !present, value })
    if (valid) {
      result.answers[to] = value
      result.modes[to] = mode
    } else if (present) result.warnings.push(`${from} cannot be read as ${target.type} for ${to}`)
  }
  return result
}

function valueAt(record: unknown, expression: string): unknown {
  const values = readJsonPath(record, parseJsonPath(expression))
  return values.length > 1 ? values : (values[0] ?? null)
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

function evaluateTagRules(rules: readonly DirectoryTagRule[], record: unknown, zone = 'UTC'): string[] {
  const given = rules.flatMap(({ when, tag, elseTag }) => {
    const holds = isConditionMet(leafOf(when), () => valueAt(record, when.from), zone)
    return holds ? [tag] : elseTag ? [elseTag] : []
  })
  return [...new Set(given)]
}

const leafOf = ({ op, value }: DirectoryTagRule['when']): SingleCondition => ({
  binding: '@directory.value',
  op,
  ...(value === undefined ? {} : { value }),
})

const MAX_TEXT: Readonly<Record<string, number>> = { text: 300, longText: 5000, email: 254, url: 2000 }

/** Converts a value to the field's type; null if it is not valid. */
function toFieldValue(value: unknown, { type, choices }: MappingTarget, context: TransformContext): unknown {
  if (type === 'multiChoice') return manyChoices(Array.isArray(value) ? value : [value], choices)
  const one: unknown = Array.isArray(value) ? value.find((each) => !isEmpty(each)) : value
  const text = cleanText(toScalarText(one) ?? '').trim()
  if (text === '' || text.length > (MAX_TEXT[type] ?? 300)) return null
  switch (type) {
    case 'number':
      return applyTransform('number', one) ?? null
    case 'boolean':
      return typeof one === 'boolean' ? one : (BOOLEANS.get(normalizeTextForComparison(text)) ?? null)
    case 'date':
      return isCalendarDay(text) ? text : readDate(text, 'ISO')
    case 'choice':
      return findChoice(text, choices)
    case 'email':
      return /^[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>.]+$/.test(text) ? text : null
    case 'phone':
      return applyTransform('phone', text, context) ?? null
    case 'url':
      return URL.canParse(text) && /^https?:/i.test(text) ? text : null
    case 'country':
      return findCountryCode(text)
    case 'file':
      return null
    default:
      return text
  }
}

const BOOLEANS = new Map<string, boolean>([
  ...['true', '1', 'yes', 'y'].map((word): [string, boolean] => [word, true]),
  ...['false', '0', 'no', 'n'].map((word): [string, boolean] => [word, false]),
])

function manyChoices(values: readonly unknown[], choices: MappingTarget['choices']): string[] | null {
  const codes = values.map((value) => findChoice(toScalarText(value)?.trim() ?? '', choices))
  return codes.length > 0 && codes.every((code) => code !== null) ? [...new Set(codes)] : null
}

/** Finds a choice by its code or its name, because directories rarely use the codes of the event. */
function findChoice(text: string, choices: MappingTarget['choices'] = []): string | null {
  const wanted = normalizeTextForComparison(text)
  const all = choices.map((choice) => (typeof choice === 'string' ? { code: choice } : choice))
  const found =
    all.find(({ code }) => normalizeTextForComparison(code) === wanted) ??
    all.find(({ name }) => name !== undefined && normalizeTextForComparison(name) === wanted)
  return found?.code ?? null
}

/**
 * Lists the errors in field bindings (mappings of directory values to fields) and tag rules, with the path of each error in the tool's
 * arguments.
 */
export function findFieldMappingErrors(
  bindings: readonly DirectoryFieldMapping[],
  tagRules: readonly DirectoryTagRule[],
  known: { bindings: readonly string[]; tags: readonly string[] },
): FieldError[] {
  const taken = new Set<string>()
  return [
    ...bindings.flatMap(({ from, to, transform }, index) => {
      const at = `bindings/${index}`
      const twice = taken.has(to)
      taken.add(to)
      return [
        ...wrongAt(`${at}/from`, checkJsonPath(from)),
        ...wrongAt(`${at}/to`, unknownName(to, known.bindings, 'field') ?? (twice ? `${cleanText(to, 60)} is bound twice` : null)),
        ...wrongAt(`${at}/transform`, transform === undefined ? null : checkTransform(transform)),
      ]
    }),
    ...tagRules.flatMap((rule, index) => checkRule(rule, `tagRules/${index}`, known.tags)),
  ]
}

function checkRule({ when, tag, elseTag }: DirectoryTagRule, at: string, tags: readonly string[]): FieldError[] {
  return [
    ...wrongAt(`${at}/when/from`, checkJsonPath(when.from)),
    ...validateConditionTree({ all: [leafOf(when)] }).map(({ path, ...issue }) => ({
      ...issue,
      path: `${at}/when${path.replace('/all/0', '')}`,
    })),
    ...wrongAt(`${at}/tag`, unknownName(tag, tags, 'tag')),
    ...wrongAt(`${at}/elseTag`, elseTag === undefined ? null : unknownName(elseTag, tags, 'tag')),
  ]
}

const wrongAt = (path: string, message: string | null): FieldError[] => (message === null ? [] : [{ path, message }])

function unknownName(name: string, known: readonly string[], what: string): string | null {
  if (known.includes(name)) return null
  const near = findMostSimilarName(name, known)
  return `unknown ${what} ${cleanText(name, 60)}${near ? `; did you mean ${near}?` : ''}`
}
