import { toCanonicalJson } from '../../../kernel/canonical.ts'
import { isJsonObject, toPointerSegment } from '../pointers.ts'
import { findChildNode, type ConfigNode, resolveUnionNode } from '../schema/nodes.ts'

/**
 * The leaves (scalar values) below an item, each as a hash of its path and content, sorted. A hash collision can only cause a wrong
 * rename to be reported.
 */
export type ScalarValueHashes = Uint32Array

const known = new WeakMap<object, ScalarValueHashes>()

/** Hashes every scalar value inside an item, except the key that identifies the item. */
export function hashScalarValues(node: ConfigNode, item: object, key: string | null): ScalarValueHashes {
  const found = known.get(item)
  if (found) return found
  const out: number[] = []
  const own = resolveUnionNode(node, item)
  if (isJsonObject(item)) {
    for (const [name, part] of Object.entries(item)) if (name !== key) collect(findChildNode(own, name), part, hash(name, SEED), out)
  } else collect(own, item, SEED, out)
  const leaves = Uint32Array.from(out).sort()
  known.set(item, leaves)
  return leaves
}

const SEED = 0x811c9dc5

function collect(node: ConfigNode | null, value: unknown, path: number, out: number[]): void {
  if (value === undefined) return
  const own = node && resolveUnionNode(node, value)
  if (own?.kind === 'list' && Array.isArray(value)) {
    value.forEach((item, index) => {
      // The hash of a scalar in a list does not include its index, so that the order does not matter.
      const itemPath = isJsonObject(item) ? hash(toPointerSegment(item, index, own.key), path) : path
      collect(own.item, item, itemPath, out)
    })
    return
  }
  if (own && own.kind !== 'value' && isJsonObject(value)) {
    for (const [name, part] of Object.entries(value)) collect(findChildNode(own, name), part, hash(name, path), out)
    return
  }
  out.push((typeof value === 'string' ? hash(value, path) : hash(toCanonicalJson(value), ~path)) >>> 0)
}

/** Returns the FNV-1a hash of a text, starting from the hash of the preceding text. */
function hash(text: string, from: number): number {
  let sum = Math.imul(from ^ 0x2f, 0x01000193)
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  return sum
}

/** Returns the share of scalar values that two items have in common, relative to the item with more of them, from 0 to 1. */
export function computeSimilarity(a: ScalarValueHashes, b: ScalarValueHashes): number {
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
