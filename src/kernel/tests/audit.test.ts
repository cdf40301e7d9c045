import { expect, it } from 'vitest'
import { createPendingAuditEntry, recordChange } from '../audit.ts'
import { Secret } from '../secrets.ts'

it('records in the audit log that a secret changed, without its old and new value', () => {
  const audit = createPendingAuditEntry()
  const change = (before: string, after: string) =>
    recordChange({ audit }, { kind: 'key', id: '1', before: { value: new Secret(before) }, after: { value: new Secret(after) } })
  expect(change('one', 'two')).toEqual(['value'])
  expect(change('two', 'two')).toEqual([])
  expect(audit.targets).toHaveLength(1)
  expect(JSON.stringify(audit)).not.toMatch(/one|two/)
})
