import { describe, expect, it } from 'vitest'
import { defineStateMachine } from '../states.ts'

const upsell = defineStateMachine({
  column: 'upsells.status',
  kind: 'upsell',
  noun: 'upsell',
  initial: 'draft',
  moves: {
    draft: ['scheduled', 'cancelled'],
    scheduled: ['active', 'draft', 'cancelled'],
    active: ['paused', 'ended', 'cancelled'],
    paused: ['active', 'cancelled'],
    ended: [],
    cancelled: [],
  },
})

describe('state machine', () => {
  it('lists the initial and final states of a state machine', () => {
    expect(upsell.initial).toBe('draft')
    expect(upsell.all).toEqual(['draft', 'scheduled', 'active', 'paused', 'ended', 'cancelled'])
    expect(upsell.terminal).toEqual(['ended', 'cancelled'])
  })

  it('allows only the declared state transitions', () => {
    const allowed = upsell.all.flatMap((from) => upsell.all.filter((to) => upsell.can(from, to)).map((to) => `${from}>${to}`))
    expect(allowed).toEqual([
      'draft>scheduled',
      'draft>cancelled',
      'scheduled>draft',
      'scheduled>active',
      'scheduled>cancelled',
      'active>paused',
      'active>ended',
      'active>cancelled',
      'paused>active',
      'paused>cancelled',
    ])
  })

  it('returns the new state after an allowed transition', () => {
    expect(upsell.move('draft', 'scheduled')).toBe('scheduled')
  })

  it.each([
    ['scheduled', 'ended', 'This upsell is scheduled and cannot become ended — it can only become active, draft or cancelled'],
    ['paused', 'draft', 'This upsell is paused and cannot become draft — it can only become active or cancelled'],
    ['ended', 'active', 'This upsell is ended and cannot become active — nothing follows that state'],
    ['cancelled', 'cancelled', 'This upsell is already cancelled'],
  ] as const)('rejects the transition from %s to %s and lists the allowed transitions', (from, to, message) => {
    expect(() => upsell.move(from, to)).toThrow(expect.objectContaining({ code: 'precondition_failed', message }))
  })

  it('rejects a state transition with the error code conflict if the state machine declares this code', () => {
    const request = defineStateMachine({
      column: 'block_requests.status',
      kind: 'blockRequest',
      noun: 'block request',
      initial: 'pending',
      moves: { pending: ['denied'], denied: [] },
      refusal: 'conflict',
    })
    expect(() => request.move('denied', 'pending')).toThrow(expect.objectContaining({ code: 'conflict' }))
  })

  it('rejects a state transition from an unknown state', () => {
    expect(upsell.can('constructor' as 'draft', 'draft')).toBe(false)
    // @ts-expect-error: the names of states are typed
    expect(() => upsell.move('draft', 'gone')).toThrow('cannot become gone')
  })
})
