import { describe, expect, it } from 'vitest'
import { permissionsOf, ROLES } from '../../../src/kernel/permissions.ts'
import { listToolsFor, findRoleProblems } from '../roles.ts'
import { scopeArguments } from '../stage.ts'
import type { ContractCheck } from './contract-check.ts'

export const checkRoles: ContractCheck = ({ tools, world, newStage }) => {
  describe('role permissions', () => {
    it('lists for each role exactly the tools that a user with the role can call', async () => {
      const stage = await newStage()
      const problems: string[] = []
      for (const role of ROLES) {
        const person = await world().organizer({ role, at: stage.home })
        problems.push(...(await findRoleProblems(stage, { role, person }, tools, await listToolsFor(stage, person, tools))))
      }
      expect(problems).toEqual([])
    })

    it('applies roles per client, so a role at one client grants nothing at another', async () => {
      const [here, elsewhere] = [await newStage(), await newStage({ word: 'numbat' })]
      const both = await world().organizer({ role: 'admin', at: elsewhere.home })
      await world().database.pool.query(`insert into memberships (tenant_id, user_id, client_id, role) values ($1, $2, $3, 'onsite')`, [
        here.home.tenantId,
        both.userId,
        here.home.clientId,
      ])
      await world().database.pool.query(`update oauth_grants g set access_version = u.access_version from users u where u.id = g.user_id`)
      const scoped = tools.filter(({ scope, permissions }) => scope !== 'account' && permissions.length > 0)
      const listed = await listToolsFor(here, both, scoped)
      expect(scoped.filter(({ name }) => !listed.has(name))).toEqual([])
      for (const tool of scoped) {
        const missing = tool.permissions.find((permission) => !permissionsOf(['onsite']).has(permission))
        if (!missing) continue
        expect((await both.refused(tool.name, scopeArguments(tool, here))).message).toBe(
          `Forbidden — ${tool.name} requires the ${missing} permission`,
        )
      }
    })
  })
}
