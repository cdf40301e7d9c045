import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { PERMISSIONS, type Permissions, permissionsOf, type Role, ROLES } from '../../src/kernel/permissions.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type World } from '../support/world.ts'
import { SPECIFIED_PERMISSIONS, specifiedPermissionsOf } from './permission-table.ts'
import { plantedTool } from './planted-tools.ts'
import { listToolsFor, findRoleProblems } from './roles.ts'
import { type Stage, createStage } from './stage.ts'

function findGrantProblems(grants: (role: Role) => Permissions): string[] {
  return ROLES.flatMap((role) => {
    const [given, specified] = [grants(role), new Set(specifiedPermissionsOf(role))]
    return [
      ...[...given].filter((permission) => !specified.has(permission)).map((permission) => `${role} has ${permission}`),
      ...[...specified].filter((permission) => !given.has(permission)).map((permission) => `${role} lacks ${permission}`),
    ]
  })
}

describe('permission table', () => {
  it('defines the 33 permissions and 11 roles of the specification', () => {
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
    expect(findGrantProblems((role) => permissionsOf([role]))).toEqual([])
  })

  it('reports a role with more or fewer permissions than specified', () => {
    const shifted = (role: Role) => permissionsOf([role === 'onsite' ? 'program' : role])
    expect(findGrantProblems(shifted)).toEqual([
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
  stage = await createStage(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

describe('findRoleProblems', () => {
  it('reports a tool that is listed without permission, hidden despite permission, or refused with another text than specified', async () => {
    const admin = { role: 'admin' as const, person: stage.admin }
    const listed = await listToolsFor(stage, stage.admin, PLANTED)
    expect(await findRoleProblems(stage, admin, PLANTED, listed)).toEqual([
      'planted_late refuses admin with another text: Forbidden — planted_late requires the email.send permission',
      'planted_late is listed for admin and refuses',
      'planted_wordy refuses admin with another text: Forbidden: planted_wordy needs more',
      'planted_wordy is listed for admin and refuses',
    ])
    expect(await findRoleProblems(stage, admin, PLANTED.slice(2), new Set())).toEqual(['planted_free is not listed for admin and succeeds'])
  })
})
