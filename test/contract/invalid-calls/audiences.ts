import { type InvalidCall, named, valued } from './calls.ts'

export const AUDIENCES_CALLS: readonly InvalidCall[] = [
  named('get_audience_profile', 'members', 'includeMembers', true),
  valued('rebuild_audience_profiles', 'k', '3', 3, ['number']),
]
