import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { PERMISSIONS, type Permissions, permissionsOf, type Role, ROLES } from '../../src/kernel/permissions.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type World } from '../support/world.ts'
import { SPECIFIED_PERMISSIONS, specifiedPermissionsOf } from './permission-table.ts'
import { plantedTool } from './planted.ts'
import { listedFor, problemsOfRole } from './roles.ts'
import { type Stage, stageAt } from './stage.ts'

function problemsOfGrants(grants: (role: Role) => Permissions): string[] {
  return ROLES.flatMap((role) => {
    const [given, specified] = [grants(role), new Set(specifiedPermissionsOf(role))]
    return [
      ...[...given].filter((permission) => !specified.has(permission)).map((permission) => `${role} has ${permission}`),
      ...[...specified].filter((permission) => !given.has(permission)).map((permission) => `${role} lacks ${permission}`),
    ]
  })
}

describe('the table of roles', () => {
  it('is the specified one: 33 permissions, 11 roles', () => {
    expect(PERMISSIONS.toSorted()).toEqual(SPECIFIED_PERMISSIONS.toSorted())
    expect(new Set(PERMISSIONS).size).toBe(33)
    expect(ROLES).toEqual([
      'admin',
      'manager',
      'registrar',
      'housing',
      'exhibits',
      'marketer',
      'program',
      'sourcing',
      'finance',
      'onsite',
      'analyst',
    ])
    expect(problemsOfGrants((role) => permissionsOf([role]))).toEqual([])
  })

  it('would be reported when a role could do more or less', () => {
    const shifted = (role: Role) => permissionsOf([role === 'onsite' ? 'program' : role])
    expect(problemsOfGrants(shifted)).toEqual([
      'onsite has sessions.read',
      'onsite has sessions.write',
      'onsite has events.read',
      'onsite has reports.read',
      'onsite has email.send',
      'onsite lacks onsite.read',
      'onsite lacks onsite.write',
    ])
  })
})

const refusing = (name: string, sentence: string) => plantedTool({ name, run: () => Promise.reject(new AppError('forbidden', sentence)) })

const PLANTED: readonly Tool[] = [
  refusing('planted_late', 'Forbidden — planted_late requires the email.send permission'),
  refusing('planted_wordy', 'Forbidden: planted_wordy needs more'),
  plantedTool({ name: 'planted_free', permission: 'events.write' }),
]

let world: World
let stage: Stage
beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', PLANTED)] })
  stage = await stageAt(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

describe('a role', () => {
  it('would be reported when list and call disagree, or the refusal is worded otherwise', async () => {
    const admin = { role: 'admin' as const, person: stage.admin }
    const listed = await listedFor(stage, stage.admin, PLANTED)
    expect(await problemsOfRole(stage, admin, PLANTED, listed)).toEqual([
      'planted_late refuses admin in other words: Forbidden — planted_late requires the email.send permission',
      'planted_late is listed for admin and refuses',
      'planted_wordy refuses admin in other words: Forbidden: planted_wordy needs more',
      'planted_wordy is listed for admin and refuses',
    ])
    expect(await problemsOfRole(stage, admin, PLANTED.slice(2), new Set())).toEqual(['planted_free is not listed for admin and answers'])
  })
})
