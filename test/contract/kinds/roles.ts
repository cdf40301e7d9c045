import { describe, expect, it } from 'vitest'
import { permissionsOf, ROLES } from '../../../src/kernel/permissions.ts'
import { listedFor, problemsOfRole } from '../roles.ts'
import { codesFor } from '../stage.ts'
import type { Kind } from './kind.ts'

export const roles: Kind = ({ tools, world, newStage }) => {
  describe('who may use them', () => {
    it('is shown exactly those that the role can call', async () => {
      const stage = await newStage()
      const problems: string[] = []
      for (const role of ROLES) {
        const person = await world().organizer({ role, at: stage.home })
        problems.push(...(await problemsOfRole(stage, { role, person }, tools, await listedFor(stage, person, tools))))
      }
      expect(problems).toEqual([])
    })

    it('at one client may not at another', async () => {
      const [here, elsewhere] = [await newStage(), await newStage({ word: 'numbat' })]
      const both = await world().organizer({ role: 'admin', at: elsewhere.home })
      await world().database.pool.query(`insert into memberships (tenant_id, user_id, client_id, role) values ($1, $2, $3, 'onsite')`, [
        here.home.tenantId,
        both.userId,
        here.home.clientId,
      ])
      await world().database.pool.query(`update oauth_grants g set access_version = u.access_version from users u where u.id = g.user_id`)
      const scoped = tools.filter(({ scope, permissions }) => scope !== 'account' && permissions.length > 0)
      const listed = await listedFor(here, both, scoped)
      expect(scoped.filter(({ name }) => !listed.has(name))).toEqual([])
      for (const tool of scoped) {
        const missing = tool.permissions.find((permission) => !permissionsOf(['onsite']).has(permission))
        if (!missing) continue
        expect((await both.refused(tool.name, codesFor(tool, here))).message).toBe(
          `Forbidden — ${tool.name} requires the ${missing} permission`,
        )
      }
    })
  })
}
