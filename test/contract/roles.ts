import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { getPermissionsInAnyScope, type Role } from '../../src/kernel/permissions.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { createToolListCache } from '../../src/surfaces/mcp/views.ts'
import { type OrganizerHandle, RESOURCE } from '../support/world.ts'
import { scopeArguments, type Stage } from './stage.ts'

/** Lists tools the way the organizer endpoint does. */
export async function listToolsFor({ world }: Stage, person: OrganizerHandle, tools: readonly Tool[]): Promise<Set<string>> {
  const organizer = await verifyOrganizer(world.database.pool, person.token, RESOURCE)
  const view = createToolListCache([toolset('all', tools)])(null, getPermissionsInAnyScope(organizer!.access))
  return new Set(view.list.map(({ name }) => name))
}

/** A role must see exactly the tools it can call; every other tool is refused with the specified sentence. */
export async function findRoleProblems(
  stage: Stage,
  { role, person }: { role: Role; person: OrganizerHandle },
  tools: readonly Tool[],
  listed: ReadonlySet<string>,
): Promise<string[]> {
  const problems: string[] = []
  for (const tool of tools) {
    const { isError, content, _meta } = await person.answer(tool.name, scopeArguments(tool, stage))
    const text = content[0]!.text!
    const forbidden = isError && _meta!['lanyard/error'].code === 'forbidden'
    if (forbidden && !tool.permissions.some((one) => text === `Forbidden — ${tool.name} requires the ${one} permission`)) {
      problems.push(`${tool.name} refuses ${role} with another text: ${text}`)
    }
    if (forbidden && listed.has(tool.name)) problems.push(`${tool.name} is listed for ${role} and refuses`)
    if (!forbidden && !listed.has(tool.name)) problems.push(`${tool.name} is not listed for ${role} and succeeds`)
  }
  return problems
}
