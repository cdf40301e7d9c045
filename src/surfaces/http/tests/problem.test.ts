import { describe, expect, it } from 'vitest'
import { buildProblemBody, buildProblemHeaders } from '../problem.ts'

const OCCURRENCE = { baseUrl: 'https://ev.example', reference: 'a1b2c3' }

describe('buildProblemBody', () => {
  it('includes the error code, the documentation link and the log reference in a problem document', () => {
    const problem = { status: 404, code: 'badge_not_found', detail: 'No participant has this badge' } as const
    expect(buildProblemBody(problem, OCCURRENCE)).toEqual({
      type: 'https://ev.example/docs/errors#badge_not_found',
      title: 'Badge not found',
      status: 404,
      detail: 'No participant has this badge',
      code: 'badge_not_found',
      instance: 'a1b2c3',
    })
    expect(buildProblemHeaders(problem)).toEqual({ 'content-type': 'application/problem+json' })
  })

  it('includes every invalid parameter and the retry delay in a problem document', () => {
    const errors = [{ parameter: 'limit', message: 'must be 1 to 200' }]
    const problem = { status: 429, code: 'too_many_requests', detail: 'Wait', errors, retryAfter: 12 } as const
    expect(buildProblemBody(problem, OCCURRENCE)).toMatchObject({ errors, retryAfter: 12 })
    expect(buildProblemHeaders(problem)).toMatchObject({ 'retry-after': '12' })
  })
})
