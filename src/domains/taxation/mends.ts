import { conflict } from '../../kernel/errors.ts'
import type { Operation } from '../configuration/operations.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { Tax } from './basis.ts'
import type { Finding } from './findings.ts'
import { sameRate } from './judge.ts'
import type { Change, NewTax } from './recommend.ts'

/** One edit of the draft, and what it does in words of the draft. */
interface Step {
  operation: Operation
  path: string
  before: unknown
  after: unknown
}

type Mend = (draft: EventConfig, finding: Finding) => Step[]

/** How each kind of change is made. `draft` is moved along, so that the next finding sees what this one did; no step: it is so already. */
export const FINDING_MENDS: Record<Change['how'], Mend> = {
  name: (draft, { productCode, kind, change }) => {
    const { tax, was } = change!
    return [...taxSteps(draft, tax!, { reverse: kind === 'reverse_charge_missing' }), ...nameSteps(draft, productCode, was, tax!.code)]
  },
  byPlace: (draft, { productCode, change }) => {
    const { tax, was } = change!
    return [...taxSteps(draft, tax!, { first: true }), ...nameSteps(draft, productCode, was, null)]
  },
  clear: (draft, { productCode, change }) => nameSteps(draft, productCode, change!.was, null),
  reverse: (draft, { change }) => taxSteps(draft, change!.tax!, { reverse: true }),
}

function nameSteps(draft: EventConfig, code: string, was: string | null, wanted: string | null): Step[] {
  const path = `/products/${code}/taxCode`
  const product = draft.products.find((one) => one.code === code)
  if (!product) throw changedSince(path, was, null)
  const before = product.taxCode
  if (before === wanted) return []
  if (before !== was) throw changedSince(path, was, before)
  product.taxCode = wanted
  return [{ operation: { op: 'set', path, valueJson: JSON.stringify(wanted) }, path, before, after: wanted }]
}

/** Adds a tax, or where that is what is missing widens the one that is there. One of the same code that means something else was made since. */
function taxSteps(draft: EventConfig, tax: NewTax, { first = false, reverse = false }): Step[] {
  const path = `/taxes/${tax.code}`
  const there = draft.taxes.find(({ code }) => code === tax.code)
  if (!there) {
    const { code, name, rate, inclusive, appliesIn, productCategories, components, reverseCharge } = tax
    const added = { code, name, rate, inclusive, appliesIn, productCategories, components, reverseCharge }
    draft.taxes.push({ ...added, validFrom: null, validUntil: null })
    // Where places decide, the first that fits is taken: one for a single place goes before those for all.
    const operation: Operation = { op: 'insert', path: '/taxes', valueJson: JSON.stringify(added), ...(first ? { at: 0 } : {}) }
    return [{ operation, path, before: null, after: added }]
  }
  if (!sameRate(there.rate, tax.rate) || there.inclusive !== tax.inclusive) {
    throw changedSince(path, `${tax.rate} %`, `${there.rate} %${there.inclusive ? ' inclusive' : ''}`)
  }
  const before = there.productCategories
  const wider = first && before.length > 0 ? [...new Set([...before, ...tax.productCategories])] : before
  return [
    ...(wider.length > before.length ? [changed(there, path, 'productCategories', wider)] : []),
    ...(reverse && !there.reverseCharge ? [changed(there, path, 'reverseCharge', true)] : []),
  ]
}

function changed<K extends 'productCategories' | 'reverseCharge'>(tax: Tax, path: string, key: K, after: Tax[K]): Step {
  const [at, before] = [`${path}/${key}`, tax[key]]
  tax[key] = after
  return { operation: { op: 'set', path: at, valueJson: JSON.stringify(after) }, path: at, before, after }
}

const changedSince = (path: string, was: unknown, is: unknown) =>
  conflict(
    `${path} was changed since the assessment: it was ${JSON.stringify(was)} and is ${JSON.stringify(is)} — start a new one with start_tax_assessment`,
  )
