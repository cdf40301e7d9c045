import { type InvalidCall, wrongName, wrongValue } from './calls.ts'

export const AUDIENCES_CALLS: readonly InvalidCall[] = [
  wrongName('get_audience_profile', 'members', 'includeMembers', true),
  wrongValue('rebuild_audience_profiles', 'k', '3', 3, ['number']),
]
