import { findLabel } from '../labels.ts'
import { toPointer } from '../pointers.ts'
import { type ConfigNode, resolveUnionNode } from '../schema/nodes.ts'

/**
 * A location in the configuration document during a comparison, linked to its parent. Its pointer and title are computed only if it
 * contains a change.
 */
export interface DiffLocation {
  parent: DiffLocation | null
  segment: string
  node: ConfigNode
  /** The value at this location in the new document; in the old document if the new one lacks it. Names in titles are read from it. */
  value: unknown
  /** Whether the location is an item of a list with keys (`keyed`) or without keys (`plain`); null if it is not a list item. */
  item: 'keyed' | 'plain' | null
}

export const createFieldDiffLocation = (parent: DiffLocation, segment: string, node: ConfigNode, value: unknown): DiffLocation => ({
  parent,
  segment,
  node,
  value,
  item: null,
})

export function toLocationPath(at: DiffLocation): string {
  const segments: string[] = []
  for (let step: DiffLocation = at; step.parent; step = step.parent) segments.push(step.segment)
  return toPointer(segments.reverse())
}

const nameOf = ({ value, segment }: DiffLocation) => JSON.stringify(findLabel(value) ?? segment)

const lower = (title: string) => title.charAt(0).toLowerCase() + title.slice(1)

/** Describes a list item of the configuration in words: widgets and blocks by type and name, products by name alone. */
function itemInWords(at: DiffLocation): string {
  if (at.item === 'plain') return `${lower(at.node.title)} ${Number(at.segment) + 1}`
  const own = resolveUnionNode(at.node, at.value)
  const noun = own === at.node ? lower(own.title) : `${lower(own.title)} ${lower(at.node.title)}`
  const isProduct = at.parent?.segment === 'products' && at.parent.parent?.parent === null
  return isProduct ? nameOf(at) : `${noun} ${nameOf(at)}`
}

export interface DiffLocationTitle {
  /** The full title of the location, for example `price 1 of "Gala dinner"`. */
  title: string
  /** The end of the title, which names what contains the location, such as `"Gala dinner"`; null at the top level. */
  within: string | null
}

/** Describes a location of the configuration document in words, innermost part first. */
export function describeDiffLocation(at: DiffLocation): DiffLocationTitle {
  const parts: string[] = []
  for (let step: DiffLocation | null = at; step?.parent; step = step.parent) {
    if (step.item) parts.push(itemInWords(step))
    // The amount in a product's price list is called "price" in titles, not "amount of price".
    else if (step === at && step.segment === 'amount' && step.parent.item) {
      parts.push(lower(step.parent.node.title))
      step = step.parent
    } else if (step.parent.node.kind === 'record') {
      const locale = step.parent.parent?.parent ? step.parent.segment : null
      parts.push(locale ? `translation into ${locale} of ${step.segment}` : `translations into ${step.segment}`)
      break
    } else if (step === at || !isContainer(step)) parts.push(lower(step.node.title))
  }
  const [own = 'configuration', ...around] = parts
  return { title: [own, ...around].join(' of '), within: around.length > 0 ? around.join(' of ') : null }
}

/** Whether the location is a list. Lists are left out of titles, because the names of their items are sufficient. */
const isContainer = ({ node }: DiffLocation) => node.kind === 'list'
