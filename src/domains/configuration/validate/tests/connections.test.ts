import { describe, expect, it } from 'vitest'
import { cleanDocument, buildReviewContext } from '../../review/tests/contexts.ts'
import type { ExternalRecords } from '../external-records.ts'
import { findIssuesSynchronously } from '../../../../../test/support/synchronous-configuration.ts'

const context = buildReviewContext(cleanDocument())
const beside = (gives: { tags?: string[]; fills?: string[] }): ExternalRecords => ({
  ...context.externalRecords,
  connections: new Map([['ams', { status: 'ready', onFailure: 'block', ...gives }]]),
})

describe('findConnectionIssues', () => {
  it('reports directory connections that refer to a missing tag or field', () => {
    expect(
      findIssuesSynchronously(
        context,
        beside({ tags: ['member', 'patron'], fills: ['@participant.company', '@custom.diet', '@custom.level'] }),
      ),
    ).toEqual([
      {
        level: 'warning',
        code: 'goneForDirectory',
        path: '/customFields',
        value: '@custom.level',
        message: 'the directory connection ams fills in @custom.level, which does not exist: change it with configure_directory_connection',
      },
      {
        level: 'warning',
        code: 'goneForDirectory',
        path: '/tags',
        value: 'patron',
        message: 'the directory connection ams gives the tag patron, which does not exist: change it with configure_directory_connection',
      },
    ])
  })

  it('checks an unchanged configuration again after a directory connection has changed', () => {
    expect(findIssuesSynchronously(context, beside({ tags: ['patron'] }))).toHaveLength(1)
    expect(findIssuesSynchronously(context, beside({ tags: ['member'] }))).toEqual([])
  })
})
