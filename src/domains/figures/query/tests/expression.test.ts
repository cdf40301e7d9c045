import { describe, expect, it } from 'vitest'
import { createFractionGenerator } from '../../../../../test/support/seeded-fraction.ts'
import { soakRounds, soakSeed } from '../../../../../test/support/soak.ts'
import { evaluateExpression, parseExpression } from '../expression.ts'

type Node = number | string | { minus: Node } | { sign: '+' | '-' | '*' | '/'; left: Node; right: Node }

const VALUES: Readonly<Record<string, number | null>> = { sold: 12, capacity: 0, 'money.net': 926.81, waiting: null, left: -3 }
const BINDING = { '+': 1, '-': 1, '*': 2, '/': 2 } as const

function build(fraction: () => number, depth: number): Node {
  const kind = fraction()
  if (depth === 0 || kind < 0.2)
    return fraction() < 0.5 ? Object.keys(VALUES)[Math.floor(fraction() * 5)]! : Math.round(fraction() * 1000) / (fraction() < 0.5 ? 1 : 8)
  if (kind < 0.3) return { minus: build(fraction, depth - 1) }
  const sign = (['+', '-', '*', '/'] as const)[Math.floor(fraction() * 4)]!
  return { sign, left: build(fraction, depth - 1), right: build(fraction, depth - 1) }
}

/** Prints an expression tree with as few parentheses as its meaning needs. */
function print(node: Node, outer = 0, isRight = false): string {
  if (typeof node !== 'object') return String(node)
  if ('minus' in node) return `-${print(node.minus, 3)}`
  const own = BINDING[node.sign]
  const text = `${print(node.left, own)} ${node.sign} ${print(node.right, own, true)}`
  return own < outer || (own === outer && isRight) ? `(${text})` : text
}

/** Computes an expression tree step by step; null as soon as a part is null or a divisor is 0. */
function compute(node: Node): number | null {
  if (typeof node === 'number') return node
  if (typeof node === 'string') return VALUES[node]!
  if ('minus' in node) {
    const value = compute(node.minus)
    return value === null ? null : 0 - value
  }
  const [left, right] = [compute(node.left), compute(node.right)]
  if (left === null || right === null) return null
  const results = { '+': left + right, '-': left - right, '*': left * right, '/': right === 0 ? null : left / right }
  return results[node.sign]
}

describe('parseExpression and evaluateExpression', () => {
  it('evaluates the text of a random expression to the same value as its syntax tree', () => {
    const fraction = createFractionGenerator(soakSeed(11))
    const differing: unknown[] = []
    for (let n = 0; n < soakRounds(500); n++) {
      const tree = build(fraction, 4)
      const text = print(tree)
      if (text.length > 400) continue
      const value = evaluateExpression(parseExpression(text, 'calculate'), (name) => VALUES[name]!)
      if (!Object.is(value === null ? null : value + 0, compute(tree) === null ? null : compute(tree)! + 0))
        differing.push({ text, value, expected: compute(tree) })
    }
    expect(differing).toEqual([])
  })

  it.each([
    ['', 'ends too early'],
    ['1 +', 'ends too early'],
    ['(1', 'not closed'],
    ['1 2', 'not expected'],
    ['sold; drop', 'cannot read'],
    [`${'('.repeat(40)}1${')'.repeat(40)}`, 'nest at most'],
    [`${'-'.repeat(300)}1`, 'nest at most'],
    ['process.exit()', 'not expected'],
  ])('rejects the arithmetic expression %j', (text, message) => {
    expect(() => parseExpression(text, 'calculate/0')).toThrow(message)
  })

  it('evaluates an expression to null if its result is not a finite number', () => {
    const large = Array.from({ length: 24 }, () => '999999999999999').join('*')
    expect(evaluateExpression(parseExpression(large, 'calculate'), () => null)).toBe(null)
  })
})
