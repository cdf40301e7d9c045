import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { fillClauseVariables } from '../clause-text.ts'
import { compareContractVersions } from '../compare.ts'
import { DEFAULT_PLAYBOOK } from '../library/playbook.ts'
import { parseEditedClause } from '../reconcile.ts'
import { assessClauseRisk, measureTextChange } from '../risk.ts'
import { buildClauseCounterProposal, computeCounterProposalValue } from '../stance.ts'
import type { Clause } from '../tables.ts'
import { sumCommittedAmounts } from '../terms.ts'
import { diffWords, invertDiffHunk, type TextDiffHunk } from '../words.ts'

const oldText = (hunks: readonly TextDiffHunk[]) => joinWithout(hunks, 'insert')
const newText = (hunks: readonly TextDiffHunk[]) => joinWithout(hunks, 'delete')
const joinWithout = (hunks: readonly TextDiffHunk[], op: TextDiffHunk['op']) =>
  hunks
    .filter((hunk) => hunk.op !== op)
    .map(({ text }) => text)
    .join('')

const ATTRITION: Clause = {
  key: 'attrition',
  title: 'Attrition',
  body: 'The client guarantees {{commitPercent}} percent of the room block, counted {{counting}}. Rooms that the hotel resells are credited in full.',
  vars: { commitPercent: 80, counting: 'over all nights' },
}
const withPercent = (commitPercent: number): Clause => ({ ...ATTRITION, vars: { ...ATTRITION.vars, commitPercent } })
const entry = DEFAULT_PLAYBOOK['attrition']!['commitPercent']!

const phrase = fc
  .array(fc.constantFrom('the', 'hotel', 'client', '80', '30,000.00', 'not', ',', '.', ' ', '\n', 'é', '“', '🏨'), { maxLength: 40 })
  .map((words) => words.join(''))

describe('diffWords', () => {
  it('returns a text difference that contains both texts, and the inverse difference if the texts are swapped', () => {
    fc.assert(
      fc.property(phrase, phrase, (from, to) => {
        const hunks = diffWords(from, to)
        expect([oldText(hunks), newText(hunks)]).toEqual([from, to])
        const back = diffWords(to, from).map(invertDiffHunk)
        const pieces = (list: typeof hunks, op: string) => list.filter((hunk) => hunk.op === op).map(({ text }) => text)
        for (const op of ['equal', 'insert', 'delete']) expect(pieces(back, op)).toEqual(pieces(hunks, op))
        expect(hunks.every(({ text }) => text !== '')).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('shows a changed number in a text difference as one deletion and one insertion', () => {
    expect(diffWords('guarantees 80 percent', 'guarantees 90 percent')).toEqual([
      { op: 'equal', text: 'guarantees ' },
      { op: 'delete', text: '80' },
      { op: 'insert', text: '90' },
      { op: 'equal', text: ' percent' },
    ])
  })

  it('returns the whole new text for two texts of 8,000 words without a common word', () => {
    const words = (word: string) => Array.from({ length: 8000 }, (_, index) => `${word}${index}`).join(' ')
    expect(newText(diffWords(words('a'), words('b')))).toBe(words('b'))
  })
})

describe('compareContractVersions', () => {
  it('matches contract clauses of two versions by key, otherwise by title, and leaves out equal clauses', () => {
    const renamed = { ...ATTRITION, key: 'damages', title: '4. attrition' }
    expect(compareContractVersions([ATTRITION], [ATTRITION])).toEqual([])
    expect(compareContractVersions([ATTRITION], [renamed]).map(({ change }) => change)).toEqual(['changed'])
    expect(compareContractVersions([ATTRITION], []).map(({ change }) => change)).toEqual(['removed'])
    expect(compareContractVersions([], [ATTRITION]).map(({ change }) => change)).toEqual(['added'])
  })
})

describe('parseEditedClause', () => {
  const read = (text: string) => parseEditedClause(ATTRITION, text)
  it('reads a replaced value in a contract clause as the new value of its variable', () => {
    expect(read(fillClauseVariables(ATTRITION).replace('80', '90'))).toEqual({
      body: ATTRITION.body,
      vars: { ...ATTRITION.vars, commitPercent: 90 },
    })
    expect(read(fillClauseVariables(ATTRITION).replace('80 percent', '87.5 per cent')).vars['commitPercent']).toBe(87.5)
  })
  it("treats a change outside the variables of a contract clause as a change of the clause's text", () => {
    const { body, vars } = read(fillClauseVariables(ATTRITION).replace(' in full', ''))
    expect(body).toBe(ATTRITION.body.replace(' in full', ''))
    expect(vars).toEqual(ATTRITION.vars)
    expect(read(fillClauseVariables(ATTRITION).replace('80', 'eighty')).vars).toEqual({ counting: 'over all nights' })
  })
  it('returns a contract clause whose text, with its variables filled in, equals the edited text', () => {
    fc.assert(
      fc.property(phrase, fc.nat(100), fc.nat(100), (words, at, length) => {
        const text = fillClauseVariables(ATTRITION)
        const written = text.slice(0, at) + words + text.slice(at + length)
        expect(fillClauseVariables(parseEditedClause(ATTRITION, written))).toBe(written)
      }),
      { numRuns: 500 },
    )
  })
})

describe('assessClauseRisk', () => {
  const risk = (now: Clause | undefined) => {
    const { risk: level, walkAway } = assessClauseRisk(DEFAULT_PLAYBOOK, ATTRITION, now)
    return walkAway ? `${level} walkAway` : level
  }
  it.each([
    [79, 'low'],
    [80, 'low'],
    [81, 'medium'],
    [85, 'medium'],
    [86, 'high'],
    [90, 'high'],
    [91, 'high walkAway'],
  ])('rates an attrition clause with a commitment of %d percent as risk %s', (percent, expected) => {
    expect(risk(withPercent(percent))).toBe(expected)
  })
  it('rates a removed clause as high risk, and small changes without negation or number as low risk', () => {
    const long = { ...ATTRITION, body: `${ATTRITION.body} ${'word '.repeat(40)}` }
    const rate = (body: string) => assessClauseRisk(DEFAULT_PLAYBOOK, long, { ...long, body }).risk
    expect(risk(undefined)).toBe('high')
    expect(rate(`${long.body}please`)).toBe('low')
    expect(rate(`${long.body}not`)).toBe('medium')
    expect(rate(`${long.body}7`)).toBe('medium')
    expect(rate(`${long.body}${'more '.repeat(9)}`)).toBe('medium')
    expect(measureTextChange('a b c d e f g h i j k l m n o p q r s t', 'a b c d e f g h i j k l m n o p q r s u').share).toBe(0.05)
  })
})

describe('computeCounterProposalValue', () => {
  it.each([
    [90, 'balanced', 85],
    [100, 'balanced', 85],
    [89, 'balanced', 80],
    [86, 'balanced', 80],
    [85, 'balanced', 85],
    [85, 'firm', 80],
    [90, 'firm', 80],
    [90, 'close', 85],
    [83, 'close', 83],
    [75, 'firm', 75],
  ] as const)('counters an attrition commitment of %d percent, in the stance %s, with %d percent', (theirs, stance, expected) => {
    expect(computeCounterProposalValue(theirs, entry, stance)).toBe(expected)
  })
  it("rounds a counterproposed value towards the client's value where higher is better", () => {
    expect(computeCounterProposalValue(10, { standard: 30, fallback: 21, walkAway: 14, step: 5, better: 'higher' }, 'balanced')).toBe(21)
    expect(computeCounterProposalValue(20, { standard: 30, fallback: 21, walkAway: 14, step: 5, better: 'higher' }, 'balanced')).toBe(25)
  })
})

describe('buildClauseCounterProposal', () => {
  const counter = (theirs: Clause | undefined, stance: 'firm' | 'balanced' | 'close' = 'balanced') =>
    buildClauseCounterProposal(DEFAULT_PLAYBOOK, 'attrition', ATTRITION, theirs, stance)
  it("accepts values within the playbook's fallback, replaces other values, and keeps the client's text in a counterproposal", () => {
    expect(counter(withPercent(85)).action).toBe('accept')
    expect(counter(withPercent(90))).toMatchObject({ action: 'replace', body: ATTRITION.body, vars: { commitPercent: 85 } })
    expect(counter(withPercent(90), 'firm').action).toBe('reject')
    expect(counter(undefined).action).toBe('reject')
    expect(counter({ ...ATTRITION, body: `${ATTRITION.body} Never.` }).action).toBe('reject')
  })
})

describe('sumCommittedAmounts', () => {
  const attrition = (commitPercent: number | null) => ({
    method: 'cumulative' as const,
    commitPercent,
    profitPercent: 75,
    creditResold: true,
  })
  it('adds up the room revenue at the committed percentage, the food minimum and the rental', () => {
    const terms = { foodMinimum: 3_000_000, rental: 1_000_000 }
    expect(sumCommittedAmounts({ ...terms, attrition: attrition(80) }, 5_000_000)).toBe(8_000_000)
    expect(sumCommittedAmounts({ ...terms, attrition: attrition(85) }, 5_000_000)).toBe(8_250_000)
    expect(sumCommittedAmounts({ ...terms, attrition: attrition(null) }, 5_000_000)).toBe(9_000_000)
  })
})
