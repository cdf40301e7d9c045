import { eventPaths } from '../tenancy/public-pages.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { issueRegistrationToken } from './registration-token.ts'
import type { AtEvent } from './scene.ts'

type Linked = Pick<ParticipantRow, 'id' | 'flow_slug'>

/** Where somebody goes on with a registration that they did not finish, without another sign-in: for that person alone, for a day. */
export async function finishPath(ctx: AtEvent, id: string, flowSlug: string): Promise<{ path: string; token: string }> {
  const token = await issueRegistrationToken(ctx, { audience: 'registration', participantId: id, flowSlug })
  return { path: `${eventPaths(ctx).register(flowSlug)}?token=${token}`, token }
}

/** The same as mails and organizers are told it. Who has no flow to go on with is led to the event. */
export async function finishLink(ctx: AtEvent, { id, flow_slug }: Linked): Promise<string> {
  return ctx.baseUrl + (flow_slug === null ? eventPaths(ctx).home : (await finishPath(ctx, id, flow_slug)).path)
}

/** Where somebody pays what they owe, without another sign-in. */
export async function payPath(ctx: AtEvent, { id, flow_slug }: Linked): Promise<string> {
  const token = await issueRegistrationToken(ctx, { audience: 'pay', participantId: id, flowSlug: flow_slug })
  return `${eventPaths(ctx).pay}?token=${token}`
}
