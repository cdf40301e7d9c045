import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  listConditionQuestionNames,
  validateConditionTree,
  isConditionMet,
  normalizeTextForComparison,
  isTagRuleMet,
  type Condition,
  type SingleCondition,
  type ConditionOp,
} from '../conditions.ts'
import { soakRounds } from '../../../test/support/soak.ts'

const OPS: ConditionOp[] = ['equals', 'notEquals', 'in', 'contains', 'gt', 'lt', 'isSet', 'isNotSet']
const holds = (op: ConditionOp, answer: unknown, value?: unknown, zone?: string) =>
  isConditionMet({ all: [{ binding: '@custom.x', op, value }] }, () => answer, zone)
const leaf = (code: string): SingleCondition => ({ binding: `@custom.${code}`, op: 'equals', value: 'yes' })
const nested = (depth: number): Condition => (depth === 0 ? leaf('x') : { all: [nested(depth - 1)] })

describe('isConditionMet with one condition', () => {
  it.each([
    ['equals', 'Kenta@Example.org', 'kenta@example.org', true],
    ['equals', '\u212Aenta@example.org', 'kenta@example.org', false],
    ['in', '\u212Aenta@example.org', ['kenta@example.org'], false],
    ['contains', 'anna@EXAMPLE.org', '@example.org', true],
    ['contains', '\uFF4Benta@example.org', 'kenta', false],
  ] as const)('compares email addresses exactly except for the case of A to Z: %s %s %s', (op, answer, value, expected) => {
    const condition = { all: [{ binding: '@participant.email', op, value }] }
    expect(isConditionMet(condition, () => answer)).toBe(expected)
  })

  it.each([
    ['equals', 'Vegan', 'vegan', true],
    ['equals', 'Straße', 'STRASSE', true],
    ['equals', 'ΟΔΟΣ', 'οδοσ', true],
    ['equals', 'ｖｅｇａｎ', 'vegan', true],
    ['equals', 'vegan', 'vegans', false],
    ['equals', '1.50', 1.5, true],
    ['equals', '0.30000000000000000001', '0.3', false],
    ['equals', '01234', '1234', false],
    ['equals', 1e-7, '0.0000001', true],
    ['equals', 1e21, '1000000000000000000000', true],
    ['equals', true, true, true],
    ['equals', true, 'true', true],
    ['equals', false, false, true],
    ['equals', 0, 0, true],
    ['equals', '2026-04-01', '2026-04-01', true],
    ['equals', '2026-04-01T10:00:00.000Z', '2026-04-01T12:00:00+02:00', true],
    ['equals', ['b', 'A'], ['a', 'b'], true],
    ['equals', ['a', 'b'], ['a'], false],
    ['equals', ['a'], 'a', true],
    ['equals', 'a', null, false],
    ['equals', { a: 1 }, '[object Object]', false],
    ['notEquals', 'a', 'b', true],
    ['notEquals', 'a', 'A', false],
    ['notEquals', ['a', 'b'], ['b', 'a'], false],
    ['in', 'FR', ['de', 'fr'], true],
    ['in', 3, ['1', '2'], false],
    ['in', ['vip', 'press'], ['press', 'staff'], true],
    ['in', 'fr', [], false],
    ['contains', ['vip', 'press'], 'VIP', true],
    ['contains', ['vip', 'press'], ['vip', 'press'], true],
    ['contains', ['vip', 'press'], ['vip', 'staff'], false],
    ['contains', ['vip'], 'vi', false],
    ['contains', 'Universität Wien', 'universität', true],
    ['contains', 'Room 12', 12, true],
    ['contains', 'ΟΔΟΣΑ', 'οδος', true],
    ['contains', 'Wien', '', false],
    ['contains', 'Wien', [], false],
    ['contains', 12, '1', false],
    ['gt', '10', '9', true],
    ['gt', 2, '2', false],
    ['lt', '-1.5', 0, true],
    ['gt', '2026-04-10', '2026-04-09', true],
    ['lt', '2026-04-01T10:00:00Z', '2026-04-01T10:00:00.001Z', true],
    ['gt', 'b', 'a', false],
    ['gt', ['3'], '2', false],
    ['gt', '3', '2026-01-01', false],
    ['lt', '3', '2026-01-01', false],
    ['isSet', 0, undefined, true],
    ['isSet', false, undefined, true],
    ['isSet', '', undefined, false],
    ['isNotSet', [], undefined, true],
  ] as const)('evaluates %s for the answer %j and the value %j as %s', (op, answer, value, expected) =>
    expect(holds(op, answer, value)).toBe(expected),
  )

  it.each([undefined, null, '', []])('evaluates only the operators notEquals and isNotSet as true for the unset answer %j', (answer) => {
    expect(OPS.filter((op) => holds(op, answer, op === 'in' ? ['', null] : ''))).toEqual(['notEquals', 'isNotSet'])
  })

  it('treats the answer false to a policy as unset', () => {
    const policy = (op: ConditionOp, answer: unknown) =>
      isConditionMet({ any: [{ binding: '@policy.terms', op, value: false }] }, () => answer)
    expect([policy('isSet', false), policy('isSet', true), policy('isNotSet', false), policy('equals', false)]).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  it('compares an instant with a day by the day of the instant in the time zone', () => {
    const at = '2026-03-31T22:30:00Z'
    expect([holds('equals', at, '2026-04-01', 'Europe/Paris'), holds('equals', at, '2026-03-31')]).toEqual([true, true])
    expect([holds('gt', at, '2026-03-31', 'Europe/Paris'), holds('gt', at, '2026-03-31'), holds('lt', new Date(at), '2026-04-01')]).toEqual(
      [true, false, true],
    )
  })

  it('normalizes the case of answers and condition values by the same rule', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(normalizeTextForComparison(normalizeTextForComparison(text))).toBe(normalizeTextForComparison(text))
      }),
    )
    expect(['ẞ', 'ß', 'SS', 'ss'].map(normalizeTextForComparison)).toEqual(['ss', 'ss', 'ss', 'ss'])
  })
})

describe('isConditionMet with a condition tree', () => {
  it('evaluates a missing condition and an empty "all" as true, and an empty "any" as false', () => {
    expect([null, undefined, { all: [] }, { any: [] }].map((tree) => isConditionMet(tree, () => 'x'))).toEqual([true, true, true, false])
  })

  it('evaluates nested condition trees according to their truth table', () => {
    const tree: fc.Arbitrary<Condition> = fc.letrec<{ node: Condition }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', maxDepth: 4 },
        fc.constantFrom('a', 'b', 'c').map(leaf),
        fc.array(tie('node'), { maxLength: 3 }).map((all) => ({ all })),
        fc.array(tie('node'), { maxLength: 3 }).map((any) => ({ any })),
      ),
    })).node
    // The model evaluates the tree as a formula in text form, so it shares no code with the evaluator.
    const formula = (node: Condition, truth: Record<string, boolean>): string => {
      if ('all' in node) return `(${['1', ...node.all.map((inner) => formula(inner, truth))].join('&')})`
      if ('any' in node) return `(${['0', ...node.any.map((inner) => formula(inner, truth))].join('|')})`
      return truth[node.binding.slice(-1)] ? '1' : '0'
    }
    const workOut = (text: string): string => {
      const next = text.replace(/\(([01](?:&[01])*)\)|\(([01](?:\|[01])*)\)/g, (_, and?: string, or?: string) =>
        and === undefined ? (or?.includes('1') ? '1' : '0') : and.includes('0') ? '0' : '1',
      )
      return next === text ? text : workOut(next)
    }
    fc.assert(
      fc.property(tree, fc.boolean(), fc.boolean(), fc.boolean(), (node, a, b, c) => {
        const truth: Record<string, boolean> = { a, b, c }
        const held = isConditionMet(node, (binding) => (truth[binding.slice(-1)] ? 'yes' : 'no'))
        expect(held ? '1' : '0').toBe(workOut(formula(node, truth)))
      }),
      { numRuns: soakRounds(1000) },
    )
  })

  it('compares answers and condition values of every type according to a hand-written table', () => {
    // Each value with its type and its position in the order of that type
    const ATOMS: [unknown, string, number?][] = [
      ['a', 'a'],
      ['A', 'a'],
      ['ab', 'ab'],
      [1, 'n1', 1],
      ['1.0', 'n1', 1],
      ['10', 'n10', 10],
      [-2, 'n-2', -2],
      ['2026-04-01', 'd1', 1001],
      ['2026-10-01', 'd2', 1002],
      [true, 'true'],
      ['TRUE', 'true'],
      ['', 'unset'],
      [null, 'unset'],
    ]
    const kind = (place: number) => (place > 1000 ? 'day' : 'number')
    const atom = fc.constantFrom(...ATOMS)
    fc.assert(
      fc.property(fc.constantFrom(...OPS), atom, fc.array(atom, { maxLength: 3 }), (op, [answer, meaning, place], values) => {
        const list = op === 'in' || values.length !== 1
        const value = list ? values.map(([one]) => one) : values[0]?.[0]
        const meanings = values.map(([, one]) => one)
        const unset = meaning === 'unset'
        const equal = meanings.length > 0 && meanings.every((one) => one === meaning)
        const other = list ? undefined : values[0]?.[2]
        const ordered = place !== undefined && other !== undefined && kind(place) === kind(other) ? place - other : 0
        const text = typeof answer === 'string' ? answer.toLowerCase() : null
        const parts = values.map(([one]) => (typeof one === 'string' || typeof one === 'number' ? String(one).toLowerCase() : ''))
        const model: Record<ConditionOp, boolean> = {
          equals: !unset && equal,
          notEquals: unset || !equal,
          in: !unset && meanings.includes(meaning),
          contains: !unset && text !== null && parts.length > 0 && parts.every((part) => part !== '' && text.includes(part)),
          gt: ordered > 0,
          lt: ordered < 0,
          isSet: !unset,
          isNotSet: unset,
        }
        expect(holds(op, answer, value)).toBe(model[op])
      }),
      { numRuns: soakRounds(5000) },
    )
  })

  it('rejects a condition tree nested deeper than five levels', () => {
    expect(isConditionMet(nested(5), () => 'yes')).toBe(true)
    expect(() => isConditionMet(nested(6), () => 'yes')).toThrow('at most 5 deep')
    expect(() => listConditionQuestionNames(nested(6))).toThrow('at most 5 deep')
    expect(() => isConditionMet(nested(3000), () => 'yes')).toThrow('at most 5 deep')
  })

  it('lists each binding (question name) of a condition tree once', () => {
    expect(listConditionQuestionNames({ all: [leaf('b'), { any: [leaf('a'), leaf('b')] }] })).toEqual(['@custom.b', '@custom.a'])
    expect(listConditionQuestionNames(null)).toEqual([])
  })
})

describe('validateConditionTree', () => {
  const issue = (tree: unknown) => validateConditionTree(tree).map(({ path, message }) => `${path}: ${message}`)

  it('accepts valid condition trees', () => {
    const all = [
      leaf('x'),
      { binding: '@role', op: 'in', value: ['admin'] },
      { binding: '@guest.1.firstName', op: 'isSet' },
      { binding: '@participant.tags', op: 'contains', value: 'vip' },
      { binding: '@product.gala', op: 'gt', value: 0 },
      { binding: '@participant.createdAt', op: 'lt', value: '2026-04-01' },
      { any: [] },
    ]
    expect([issue(null), issue({ all }), issue(nested(5)), issue(leaf('x'))]).toEqual([[], [], [], []])
    expect(issue({ all: Array(50).fill(leaf('x')) })).toEqual([])
  })

  it.each([
    [undefined, ': must be { "all": [ … ] }, { "any": [ … ] } or one condition { "binding", "op", "value" }'],
    [{ ...leaf('x'), op: 'matches' }, '/op: must be one of equals, notEquals, in, contains, gt, lt, isSet, isNotSet'],
    [[leaf('x')], ': must be { "all": [ … ] }, { "any": [ … ] } or one condition { "binding", "op", "value" }'],
    [{ all: null }, '/all: must be a list of conditions'],
    [{ all: [], any: [] }, ': a group has one key, "all" or "any"'],
    [{ any: ['x'] }, '/any/0: must be a condition { "binding", "op", "value" } or a group'],
    [{ all: [{ ...leaf('x'), extra: 1 }] }, '/all/0: unknown key "extra"'],
    [{ all: [{ any: [{ ...leaf('x'), binding: 'company' }] }] }, '/all/0/any/0/binding: must be a binding such as "@participant.company"'],
    [{ all: [{ ...leaf('x'), op: 'matches' }] }, '/all/0/op: must be one of equals, notEquals, in, contains, gt, lt, isSet, isNotSet'],
    [{ all: [{ ...leaf('x'), value: '' }] }, '/all/0/value: equals needs a value that is not empty'],
    [{ all: [{ ...leaf('x'), op: 'in' }] }, '/all/0/value: in needs a list of values'],
    [{ all: [{ ...leaf('x'), op: 'in', value: ['a', {}] }] }, '/all/0/value: in needs a value that is not empty'],
    [{ all: [{ ...leaf('x'), op: 'gt' }] }, '/all/0/value: gt needs a number, a day or an instant'],
    [{ all: [{ ...leaf('x'), op: 'isSet', value: false }] }, '/all/0/value: isSet takes no value'],
    [nested(6), '/all/0/all/0/all/0/all/0/all/0: conditions nest at most 5 deep'],
  ])('reports the error in the condition tree %j', (tree, message) => expect(issue(tree)).toEqual([message]))

  it('stops checking a condition tree at the fiftieth condition across all groups', () => {
    const groups = Array.from({ length: 3000 }, () => ({ any: ['bad', 'bad'] }))
    expect(issue({ all: Array(51).fill(leaf('x')) })).toEqual([': has more than 50 conditions'])
    expect(issue({ all: groups })).toHaveLength(51)
  })

  it('allows extra keys in a condition where the caller permits them', () => {
    const alert = { all: [{ binding: '@metric.complete', op: 'gt', value: 100, clear: 95 }] }
    expect(validateConditionTree(alert, ['clear'])).toEqual([])
    expect(validateConditionTree(alert)).toHaveLength(1)
  })
})

describe('isTagRuleMet', () => {
  it.each([
    ['all', ['vip', 'member'], ['vip', 'member', 'press'], true],
    ['all', ['vip', 'member'], ['vip'], false],
    ['any', ['vip', 'member'], ['member'], true],
    ['any', ['vip', 'member'], ['press'], false],
    ['none', ['vip', 'member'], ['press'], true],
    ['none', ['vip', 'member'], ['vip'], false],
    ['none', ['vip'], [], true],
  ] as const)('evaluates the tag rule %s of %j for a participant with the tags %j as %s', (type, required, tags, expected) =>
    expect(isTagRuleMet({ type, required }, tags)).toBe(expected),
  )

  it('shows an item without a tag rule to everyone', () => {
    expect(isTagRuleMet(null, [])).toBe(true)
  })
})
