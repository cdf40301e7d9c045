import { canonicalJson } from '../../../kernel/canonical.ts'
import { isRecord, segmentOf } from '../pointers.ts'
import { childNode, type ConfigNode, nodeFor } from '../schema/nodes.ts'

/**
 * Every leaf of a part as a number that stands for where it is and what it says, sorted. Two numbers may be equal by accident; the worst
 * that can come of it is a rename that a person would have called something else.
 */
export type Leaves = Uint32Array

const known = new WeakMap<object, Leaves>()

/** The leaves below an item, but for the key that it is named by. */
export function leavesOf(node: ConfigNode, item: object, key: string | null): Leaves {
  const found = known.get(item)
  if (found) return found
  const out: number[] = []
  const own = nodeFor(node, item)
  if (isRecord(item)) {
    for (const [name, part] of Object.entries(item)) if (name !== key) collect(childNode(own, name), part, hash(name, SEED), out)
  } else collect(own, item, SEED, out)
  const leaves = Uint32Array.from(out).sort()
  known.set(item, leaves)
  return leaves
}

const SEED = 0x811c9dc5

function collect(node: ConfigNode | null, value: unknown, path: number, out: number[]): void {
  if (value === undefined) return
  const own = node && nodeFor(node, value)
  if (own?.kind === 'list' && Array.isArray(value)) {
    value.forEach((item, index) => {
      // Scalars of a list are leaves wherever they stand in it.
      const place = isRecord(item) ? hash(segmentOf(item, index, own.key), path) : path
      collect(own.item, item, place, out)
    })
    return
  }
  if (own && own.kind !== 'value' && isRecord(value)) {
    for (const [name, part] of Object.entries(value)) collect(childNode(own, name), part, hash(name, path), out)
    return
  }
  out.push((typeof value === 'string' ? hash(value, path) : hash(canonicalJson(value), ~path)) >>> 0)
}

/** FNV-1a, from where another one ended. */
function hash(text: string, from: number): number {
  let sum = Math.imul(from ^ 0x2f, 0x01000193)
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  return sum
}

/** How much of the larger one stands in the other, from 0 to 1. */
export function likeness(a: Leaves, b: Leaves): number {
  let shared = 0
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      shared++
      i++
      j++
    } else if (a[i]! < b[j]!) i++
    else j++
  }
  const most = Math.max(a.length, b.length)
  return most === 0 ? 0 : shared / most
}
