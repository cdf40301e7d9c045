import { z } from 'zod'
import { code, day, flag, list, name, object, oneOf, text } from '../../../kernel/args.ts'
import { type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { findMostSimilarName } from '../../../kernel/nearest.ts'
import type { FieldCondition, ConditionTree } from '../../figures/query/data-query.ts'

export const PARAMETER_TYPES = ['day', 'code', 'codes', 'number', 'boolean', 'text'] as const
type ParameterType = (typeof PARAMETER_TYPES)[number]
export type ParameterValue = string | number | boolean | readonly string[]
/** The parameter values of a report run, by parameter name. Parameters without a value are left out. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>

export interface ReportParameter {
  name: string
  type: ParameterType
  label: string
  required: boolean
  default?: ParameterValue | undefined
}

const VALUE_TYPES = {
  day: day(),
  code: code(),
  codes: list(code(), 100),
  number: z.number(),
  boolean: flag(),
  text: text(500),
} satisfies Record<ParameterType, z.ZodType>

const PARAMETER_NAME = /^[a-z][A-Za-z0-9]{0,39}$/

/** A report parameter as callers send it. */
export const ParameterInput = object({
  name: z.string().regex(PARAMETER_NAME, 'a name such as from, of 1 to 40 letters and digits'),
  type: oneOf(PARAMETER_TYPES),
  label: name(80).optional(),
  required: flag().default(false),
  default: z.unknown().optional(),
})

/** Validates the declared parameters: unique names, and defaults of the right type. */
export function validateReportParameters(given: readonly z.output<typeof ParameterInput>[]): ReportParameter[] {
  const errors: FieldError[] = []
  const parameters = given.map((one, at): ReportParameter => {
    if (given.findIndex(({ name: other }) => other === one.name) !== at)
      errors.push({ path: `parameters/${at}/name`, message: `${one.name} is declared twice` })
    const { default: initial, ...declared } = one
    const parameter = { ...declared, label: one.label ?? one.name }
    if (initial === undefined || initial === null) return parameter
    const read = VALUE_TYPES[one.type].safeParse(initial)
    if (read.success) return { ...parameter, default: read.data }
    errors.push({ path: `parameters/${at}/default`, message: read.error.issues[0]!.message })
    return parameter
  })
  if (errors.length > 0) throw invalidArguments(errors)
  return parameters
}

/**
 * Returns the parameter values of a run: the given values, otherwise the defaults. Unknown, missing and wrongly typed values are reported
 * together.
 */
export function resolveParameterValues(parameters: readonly ReportParameter[], given: Readonly<Record<string, unknown>>): ParameterValues {
  const errors: FieldError[] = []
  const names = parameters.map((one) => one.name)
  for (const sent of Object.keys(given))
    if (!names.includes(sent)) errors.push(createUnknownParameterError(`parameters/${sent}`, sent, names))
  const values: Record<string, ParameterValue> = {}
  for (const { name: named, type, required, default: initial } of parameters) {
    const sent = given[named] ?? initial
    if (sent === undefined) {
      if (required) errors.push({ path: `parameters/${named}`, message: 'is required' })
      continue
    }
    const read = VALUE_TYPES[type].safeParse(sent)
    if (read.success) values[named] = read.data
    else errors.push({ path: `parameters/${named}`, message: read.error.issues[0]!.message })
  }
  if (errors.length > 0) throw invalidArguments(errors)
  return values
}

export function createUnknownParameterError(path: string, named: string, names: readonly string[]): FieldError {
  const near = findMostSimilarName(named, names)
  const message =
    names.length === 0 ? `no parameter ${named}: the report has none` : `no parameter ${named}${near ? `; did you mean ${near}?` : ''}`
  return { path, message, allowed: names }
}

/** Returns the name of the parameter that a value such as `{ "param": "from" }` refers to; null for other values. */
export const getReferencedParameter = (value: unknown): string | null => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { param } = value as { param?: unknown }
  return typeof param === 'string' && Object.keys(value).length === 1 ? param : null
}

/** Calls `found` for every reference to a parameter in a query, with the path of the reference. */
export function visitParameterReferences(value: unknown, path: string, found: (path: string, named: string) => void): void {
  const named = getReferencedParameter(value)
  if (named !== null) return found(path, named)
  if (Array.isArray(value)) for (const [at, item] of value.entries()) visitParameterReferences(item, `${path}/${at}`, found)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) visitParameterReferences(item, path === '' ? key : `${path}/${key}`, found)
}

const UNSET = Symbol('unset')

const resolve = (value: unknown, values: ParameterValues): unknown => {
  const named = getReferencedParameter(value)
  return named === null ? value : (values[named] ?? UNSET)
}

/**
 * Replaces parameters in a condition by their values. A comparison whose parameter has no value is left out; null if no comparison remains.
 */
export function replaceParametersInFilter(tree: ConditionTree, values: ParameterValues): ConditionTree | null {
  if ('all' in tree) return fillGroup(tree.all, values, (all) => ({ all }))
  if ('any' in tree) return fillGroup(tree.any, values, (any) => ({ any }))
  if ('relation' in tree) {
    if (!tree.where) return tree
    const where = replaceParametersInFilter(tree.where, values)
    return where ? { ...tree, where } : { relation: tree.relation, has: tree.has }
  }
  return fillLeaf(tree, values)
}

function fillGroup(
  trees: readonly ConditionTree[],
  values: ParameterValues,
  wrap: (filled: ConditionTree[]) => ConditionTree,
): ConditionTree | null {
  const filled = trees.map((one) => replaceParametersInFilter(one, values)).filter((one) => one !== null)
  return filled.length === 0 && trees.length > 0 ? null : wrap(filled)
}

function fillLeaf(leaf: FieldCondition, values: ParameterValues): FieldCondition | null {
  if (!Array.isArray(leaf.value)) {
    const value = resolve(leaf.value, values)
    return value === UNSET ? null : { ...leaf, value }
  }
  const items = leaf.value.map((item) => resolve(item, values))
  if (leaf.op === 'between' && items.length === 2) {
    const [from, until] = items
    if (from === UNSET && until === UNSET) return null
    if (from === UNSET) return { ...leaf, op: 'lte', value: until }
    if (until === UNSET) return { ...leaf, op: 'gte', value: from }
  }
  const set = items.filter((item) => item !== UNSET)
  return set.length === 0 && items.length > 0 ? null : { ...leaf, value: set }
}

/** Returns the parameter values of a standard report that a widget shows: fixed values, or values of parameters of the designed report. */
export function resolveReportParameterValues(given: Readonly<Record<string, unknown>>, values: ParameterValues): Record<string, unknown> {
  const entries = Object.entries(given).map(([key, value]) => [key, resolve(value, values)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== UNSET))
}
