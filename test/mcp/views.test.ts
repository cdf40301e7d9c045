import { expect, it } from 'vitest'
import { PERMISSIONS } from '../../src/kernel/permissions.ts'
import { createToolListCache } from '../../src/surfaces/mcp/views.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'

const bytes = ({ modernList, legacyList }: ReturnType<ReturnType<typeof createToolListCache>>) =>
  (modernList.plain.length + legacyList.plain.length) * 1.25

it('caches tool lists for each set of permissions within a limit of bytes', () => {
  const names = ALL_TOOLSETS.map(({ name }) => name)
  const all = new Set(PERMISSIONS)
  const whole = bytes(createToolListCache(ALL_TOOLSETS)(null, all))
  const viewFor = createToolListCache(ALL_TOOLSETS, [], whole * 3)
  const everything = viewFor(null, all)
  const first = viewFor(names, all)
  // A view is the tool list for one set of permissions. Each is nearly as large as the full list, and the view for all permissions stays
  // in use in between.
  for (let left = 0; left < PERMISSIONS.length; left++) {
    viewFor(null, new Set(PERMISSIONS.filter((_, index) => index !== left)))
    expect(viewFor(null, all)).toBe(everything)
  }
  expect(viewFor(names, all)).not.toBe(first)
  expect(viewFor(names, all).modernList.plain).toEqual(first.modernList.plain)
})

it('returns a tool list that exceeds the cache limit, and keeps only the most recent list in the cache', () => {
  const viewFor = createToolListCache(ALL_TOOLSETS, [], 1)
  const view = viewFor(null, new Set(PERMISSIONS))
  expect(viewFor(null, new Set(PERMISSIONS))).toBe(view)
  viewFor(null, new Set())
  expect(viewFor(null, new Set(PERMISSIONS))).not.toBe(view)
})
