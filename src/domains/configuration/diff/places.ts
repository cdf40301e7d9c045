import { labelOf } from '../labels.ts'
import { pointerOf } from '../pointers.ts'
import { type ConfigNode, nodeFor } from '../schema/nodes.ts'

/** Where a comparison stands: a step below another one. Its pointer and words are made only when something changed there. */
export interface At {
  parent: At | null
  segment: string
  node: ConfigNode
  /** By which an item is called; the newer one where both are there. */
  value: unknown
  /** An item of a list, and whether it goes by its key. */
  item: 'keyed' | 'plain' | null
}

export const fieldAt = (parent: At, segment: string, node: ConfigNode, value: unknown): At => ({ parent, segment, node, value, item: null })

export function pathOf(at: At): string {
  const segments: string[] = []
  for (let step: At = at; step.parent; step = step.parent) segments.push(step.segment)
  return pointerOf(segments.reverse())
}

const nameOf = ({ value, segment }: At) => JSON.stringify(labelOf(value) ?? segment)

const lower = (title: string) => title.charAt(0).toLowerCase() + title.slice(1)

/** Widgets and blocks say what kind they are; products are known by their name alone. */
function itemInWords(at: At): string {
  if (at.item === 'plain') return `${lower(at.node.title)} ${Number(at.segment) + 1}`
  const own = nodeFor(at.node, at.value)
  const noun = own === at.node ? lower(own.title) : `${lower(own.title)} ${lower(at.node.title)}`
  const isProduct = at.parent?.segment === 'products' && at.parent.parent?.parent === null
  return isProduct ? nameOf(at) : `${noun} ${nameOf(at)}`
}

export interface Words {
  /** The whole of it: `price 1 of "Gala dinner"`. */
  title: string
  /** What it stands in, where that has a name. */
  within: string | null
}

/** What a place is called by people, from the inside out. */
export function inWords(at: At): Words {
  const parts: string[] = []
  for (let step: At | null = at; step?.parent; step = step.parent) {
    if (step.item) parts.push(itemInWords(step))
    // An amount is what people call by its row: the price, not the amount of the price.
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

/** Lists are named by their items. */
const isContainer = ({ node }: At) => node.kind === 'list'
