import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wallTimeToInstant, toDayInZone, toWallTimeInZone } from '../../../kernel/time.ts'
import { validateSessionChoice } from '../session-choice.ts'
import { filterProgram, type ProgramSession } from '../program.ts'

const BERLIN = 'Europe/Berlin'

const session = (title: string, startsAt: Date, endsAt: Date, more: Partial<ProgramSession> = {}): ProgramSession => ({
  id: title.padEnd(24, '0').slice(0, 24),
  code: title.toLowerCase(),
  title,
  abstract: null,
  trackCode: 'build',
  formatCode: 'talk',
  roomCode: null,
  startsAt,
  endsAt,
  productCode: null,
  left: null,
  speakers: [],
  isCancelled: false,
  ...more,
})

const at = (title: string, from: string, until: string, more: Partial<ProgramSession> = {}) =>
  session(title, wallTimeToInstant(BERLIN, from), wallTimeToInstant(BERLIN, until), more)

const refused = (program: ProgramSession[], more: Partial<Parameters<typeof validateSessionChoice>[0]> = {}) =>
  validateSessionChoice({
    program,
    chosen: program.map(({ id }) => id),
    products: new Set(),
    nameOfProduct: (code) => code.toUpperCase(),
    preventOverlap: true,
    now: new Date('2026-01-01T00:00:00Z'),
    ...more,
  }).map(({ message }) => message)

describe('session overlaps', () => {
  it('names both overlapping sessions in the error', () => {
    const program = [at('A', '2026-09-01T10:00', '2026-09-01T11:00'), at('B', '2026-09-01T10:30', '2026-09-01T11:30')]
    expect(refused(program)).toEqual(['“A” and “B” are at the same time. Choose one of them'])
    expect(refused(program, { preventOverlap: false })).toEqual([])
  })

  it.each([
    ['one starts when the other ends', ['2026-09-01T10:00', '2026-09-01T11:00'], ['2026-09-01T11:00', '2026-09-01T12:00'], false],
    ['one ends a minute later', ['2026-09-01T10:00', '2026-09-01T11:01'], ['2026-09-01T11:00', '2026-09-01T12:00'], true],
    ['one is within the other', ['2026-09-01T10:00', '2026-09-01T12:00'], ['2026-09-01T10:30', '2026-09-01T10:40'], true],
    ['over midnight and after it', ['2026-09-01T22:00', '2026-09-02T01:00'], ['2026-09-02T00:30', '2026-09-02T02:00'], true],
    ['over midnight and starting when it ends', ['2026-09-01T22:00', '2026-09-02T01:00'], ['2026-09-02T01:00', '2026-09-02T02:00'], false],
    ['the same hour on two days', ['2026-09-01T10:00', '2026-09-01T11:00'], ['2026-09-02T10:00', '2026-09-02T11:00'], false],
    // On 2026-03-29 the clock jumps from 02:00 to 03:00.
    ['up to the skipped hour and from it on', ['2026-03-29T01:00', '2026-03-29T02:00'], ['2026-03-29T03:00', '2026-03-29T04:00'], false],
    ['over the skipped hour', ['2026-03-29T01:00', '2026-03-29T03:30'], ['2026-03-29T03:00', '2026-03-29T04:00'], true],
  ] as const)('detects whether two sessions overlap (%s): %s and %s give %s', (_name, a, b, clash) => {
    expect(refused([at('A', a[0], a[1]), at('B', b[0], b[1])])).toHaveLength(clash ? 1 : 0)
  })

  it('compares sessions by instant, so that sessions in the repeated hour of a clock change do not clash', () => {
    const first = session('First', new Date('2026-10-25T00:15:00Z'), new Date('2026-10-25T00:45:00Z'))
    const second = session('Second', new Date('2026-10-25T01:15:00Z'), new Date('2026-10-25T01:45:00Z'))
    expect([first, second].map(({ startsAt }) => toWallTimeInZone(BERLIN, startsAt))).toEqual([
      '2026-10-25T02:15:00',
      '2026-10-25T02:15:00',
    ])
    expect(refused([first, second])).toEqual([])
    expect(refused([first, second, session('Both', first.startsAt, second.endsAt)])).toHaveLength(1)
  })

  it('reports an overlap of sessions exactly if they have an instant in common', () => {
    const span = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 30 }))
    const minute = (at_: number) => new Date(Date.UTC(2026, 8, 1) + at_ * 60_000)
    fc.assert(
      fc.property(span, span, ([a, long], [b, short]) => {
        const program = [session('A', minute(a), minute(a + long)), session('B', minute(b), minute(b + short))]
        const common = Array.from({ length: 91 }, (_, m) => m).some((m) => m >= a && m < a + long && m >= b && m < b + short)
        expect(refused(program)).toHaveLength(common ? 1 : 0)
      }),
    )
  })
})

describe('validateSessionChoice', () => {
  const now = new Date('2026-09-01T08:30:00Z')
  const program = [
    at('Begun', '2026-09-01T10:00', '2026-09-01T11:00'),
    at('Paid', '2026-09-02T10:00', '2026-09-02T11:00', { productCode: 'lab' }),
  ]

  it('rejects newly chosen sessions that have begun, need a product that is missing, or are not scheduled', () => {
    const [begun, paid] = program.map(({ id }) => id)
    expect(refused(program, { now })).toEqual(['“Begun” has begun already', '“Paid” is only for those who have “LAB”'])
    expect(refused(program, { now, before: new Set([begun!]), products: new Set(['lab']) })).toEqual([])
    expect(refused(program, { now, chosen: ['f'.repeat(24)] })).toEqual(['This session is no longer offered'])
    expect(refused(program, { now, before: new Set([paid!]), chosen: [paid!] })).toEqual(['“Paid” is only for those who have “LAB”'])
  })

  it("keeps a participant's existing sessions when a rescheduled one clashes", () => {
    const [a, b, c] = [
      at('A', '2026-09-03T10:00', '2026-09-03T11:00'),
      at('B', '2026-09-03T10:30', '2026-09-03T11:30'),
      at('C', '2026-09-03T09:30', '2026-09-03T10:10'),
    ]
    const before = new Set([a.id, b.id])
    expect(refused([c, a, b], { before, chosen: [a.id, b.id] })).toEqual([])
    expect(refused([c, a, b], { before })).toEqual(['“A” and “C” are at the same time. Choose one of them'])
  })
})

describe('filterProgram', () => {
  const late = at('Late', '2026-09-01T23:30', '2026-09-02T01:00')
  const other = at('Other', '2026-09-02T09:00', '2026-09-02T10:00', { trackCode: 'run', formatCode: 'workshop' })
  const titles = (list: object) =>
    filterProgram({ tracks: [], formats: [], days: [], ...list }, [late, other], BERLIN).map(({ title }) => title)

  it("filters sessions by track, format and day in the event's time zone", () => {
    expect(titles({})).toEqual(['Late', 'Other'])
    expect(titles({ tracks: ['run'] })).toEqual(['Other'])
    expect(titles({ formats: ['talk'] })).toEqual(['Late'])
    expect(titles({ days: ['2026-09-01'] })).toEqual(['Late'])
    expect(titles({ days: ['2026-09-02'], tracks: ['build'] })).toEqual([])
    expect([toDayInZone(BERLIN, late.startsAt), toDayInZone('Asia/Tokyo', late.startsAt)]).toEqual(['2026-09-01', '2026-09-02'])
  })
})
