import { lockGroup } from '../../../domains/groups/groups.ts'
import { replaceJoinCode } from '../../../domains/groups/join-codes.ts'
import { canManageMembers } from '../../../domains/groups/managers.ts'
import { Button, Form } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import type { EventSite } from '../event/event-site.ts'
import type { FormValues, WebContext, WebServices } from '../web.ts'
import { runGroupChange, GROUP_MANAGER_PATH, isGroupChangeable, type ManagedGroup, handleGroupManagerPost } from './group-access.tsx'

/** Whether a registration form of the event asks for the code of a group. */
const isCodeAsked = ({ config }: EventSite): boolean =>
  config.flows.some(
    ({ retired, pages }) =>
      !retired && pages.some(({ widgets }) => widgets.some((widget) => widget.type === 'group' && widget.mode !== 'create')),
  )

/** The group's join code, for managers who may add members themselves. */
export const GroupJoinCodeCard = ({ at, csrf }: { at: ManagedGroup; csrf: string }) => {
  const { site, home, group } = at
  const { say } = site.words
  if (!canManageMembers(at) || !isCodeAsked(site)) return null
  return (
    <Card title={say('group.joinCode')}>
      <div class="stack">
        <p>
          <code>{group.join_code}</code>
        </p>
        <p class="small muted">{say(group.pay_by === 'group' ? 'group.joinCodePays' : 'group.joinCodeText')}</p>
        {isGroupChangeable(at) ? (
          <Form action={`${home}/join-code`} csrf={csrf}>
            <input type="hidden" name="replaced" value={group.join_code} />
            <Button tone="quiet">{say('group.newJoinCode')}</Button>
          </Form>
        ) : null}
      </div>
    </Card>
  )
}

/** `…/group/<code>/join-code`: replaces the join code, for example because strangers know it. */
export function groupJoinCodePages(web: WebServices) {
  const replace = async (c: WebContext, at: ManagedGroup, { replaced = '' }: FormValues): Promise<Response> => {
    if (!canManageMembers(at)) return c.redirect(at.home, 303)
    await runGroupChange(web, at, 'replace_group_join_code', async (ctx) =>
      replaceJoinCode(ctx, await lockGroup(ctx, at.group.id), replaced),
    )
    return c.redirect(`${at.home}?done=code`, 303)
  }
  return createEventRouter(web).post(`${GROUP_MANAGER_PATH}/join-code`, handleGroupManagerPost(web, replace))
}
