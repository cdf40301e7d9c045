import { conflict } from '../../kernel/errors.ts'
import type { ConfigOperation } from '../configuration/operations.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { ConfiguredTax } from './basis.ts'
import type { TaxFinding } from './findings.ts'
import { isSameTaxRate } from './judge.ts'
import type { RecommendedTaxChange, RecommendedNewTax } from './recommend.ts'

/** One edit of the draft configuration with its path and the values before and after. */
interface DraftStep {
  operation: ConfigOperation
  path: string
  before: unknown
  after: unknown
}

type BuildSteps = (draft: EventConfig, finding: TaxFinding) => DraftStep[]

/**
 * The edits of the draft configuration for each kind of change. `draft` is updated in place, so that the next finding sees the change. An
 * empty list of edits means that the change is already applied.
 */
export const TAX_CHANGE_STEP_BUILDERS: Record<RecommendedTaxChange['how'], BuildSteps> = {
  name: (draft, { productCode, kind, change }) => {
    const { tax, was } = change!
    return [
      ...buildTaxSteps(draft, tax!, { reverse: kind === 'reverse_charge_missing' }),
      ...buildTaxCodeSteps(draft, productCode, was, tax!.code),
    ]
  },
  byPlace: (draft, { productCode, change }) => {
    const { tax, was } = change!
    return [...buildTaxSteps(draft, tax!, { first: true }), ...buildTaxCodeSteps(draft, productCode, was, null)]
  },
  clear: (draft, { productCode, change }) => buildTaxCodeSteps(draft, productCode, change!.was, null),
  reverse: (draft, { change }) => buildTaxSteps(draft, change!.tax!, { reverse: true }),
}

function buildTaxCodeSteps(draft: EventConfig, code: string, was: string | null, wanted: string | null): DraftStep[] {
  const path = `/products/${code}/taxCode`
  const product = draft.products.find((one) => one.code === code)
  if (!product) throw changedSince(path, was, null)
  const before = product.taxCode
  if (before === wanted) return []
  if (before !== was) throw changedSince(path, was, before)
  product.taxCode = wanted
  return [{ operation: { op: 'set', path, valueJson: JSON.stringify(wanted) }, path, before, after: wanted }]
}

/**
 * Adds a tax to the draft configuration, or extends an existing one. An existing tax with the same code but other terms was created after
 * the assessment, which is a conflict.
 */
function buildTaxSteps(draft: EventConfig, tax: RecommendedNewTax, { first = false, reverse = false }): DraftStep[] {
  const path = `/taxes/${tax.code}`
  const there = draft.taxes.find(({ code }) => code === tax.code)
  if (!there) {
    const { code, name, rate, inclusive, appliesIn, productCategories, components, reverseCharge } = tax
    const added = { code, name, rate, inclusive, appliesIn, productCategories, components, reverseCharge }
    draft.taxes.push({ ...added, validFrom: null, validUntil: null })
    // The first matching tax applies, so a more specific tax is inserted before general ones.
    const operation: ConfigOperation = { op: 'insert', path: '/taxes', valueJson: JSON.stringify(added), ...(first ? { at: 0 } : {}) }
    return [{ operation, path, before: null, after: added }]
  }
  if (!isSameTaxRate(there.rate, tax.rate) || there.inclusive !== tax.inclusive) {
    throw changedSince(path, `${tax.rate} %`, `${there.rate} %${there.inclusive ? ' inclusive' : ''}`)
  }
  const before = there.productCategories
  const wider = first && before.length > 0 ? [...new Set([...before, ...tax.productCategories])] : before
  return [
    ...(wider.length > before.length ? [buildChange(there, path, 'productCategories', wider)] : []),
    ...(reverse && !there.reverseCharge ? [buildChange(there, path, 'reverseCharge', true)] : []),
  ]
}

function buildChange<K extends 'productCategories' | 'reverseCharge'>(
  tax: ConfiguredTax,
  path: string,
  key: K,
  after: ConfiguredTax[K],
): DraftStep {
  const [at, before] = [`${path}/${key}`, tax[key]]
  tax[key] = after
  return { operation: { op: 'set', path: at, valueJson: JSON.stringify(after) }, path: at, before, after }
}

const changedSince = (path: string, was: unknown, is: unknown) =>
  conflict(
    `${path} was changed since the assessment: it was ${JSON.stringify(was)} and is now ${JSON.stringify(is)} — start a new one with start_tax_assessment`,
  )
