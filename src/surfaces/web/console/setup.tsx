import { Hono, type MiddlewareHandler } from 'hono'
import { recordChange } from '../../../kernel/audit.ts'
import { changeWithin } from '../../../kernel/keep-change.ts'
import { code, email, name, object, text } from '../../../kernel/args.ts'
import { notFound } from '../../../kernel/errors.ts'
import { slugOf } from '../../../kernel/ids.ts'
import type { Secret } from '../../../kernel/secrets.ts'
import { consoleActor, openSession } from '../../../domains/sign-in/sessions.ts'
import { type Foundation, foundFirstTenant, isSetUp } from '../../../domains/sign-in/setup.ts'
import { Actions, Button, ErrorSummary, errorOf, Form, Input } from '../components/forms.tsx'
import { document, FocusPage } from '../components/layout.tsx'
import { Card } from '../components/parts.tsx'
import { browserOf } from '../language/visitor.ts'
import { attempt, type Label, readFields, type Refused } from '../fields.ts'
import { csrfFor, type FormValues, rememberSession, show, type Web, type WebContext, type WebEnv } from '../web.ts'
import { contextOf, formOf, refusalPage } from './frame.tsx'

const PATH = '/console/setup'

const LABELS: Record<string, string> = {
  key: 'Set-up key',
  'tenant/name': 'Organization',
  'client/name': 'Client',
  'client/code': 'Code of the client',
  'admin/name': 'Your name',
  'admin/email': 'Email',
  'admin/password': '',
}
const labelOf: Label = (path) => LABELS[path] ?? ''

const Named = object({ name: name(), code: code() })
const Fields = object({
  key: text(100),
  tenant: Named,
  client: Named,
  admin: object({ name: name(), email: email(), password: text(300) }),
})

const SetupPage = ({ csrf, form, refused }: { csrf: string; form: FormValues; refused: Refused }) => {
  const at = (name: string) => ({ name, value: form[name], error: errorOf(refused.errors, name) })
  return (
    <FocusPage>
      <Card>
        <h1>Set up Lanyard</h1>
        <p class="muted">Once, on an empty database. You become the first administrator.</p>
        <Form action={PATH} csrf={csrf} class="stack">
          <ErrorSummary {...refused} />
          <Input
            {...at('key')}
            label="Set-up key"
            help="Printed in the terminal when Lanyard started; begins with lsk_"
            autocomplete="off"
            required
            autofocus
          />
          <Input
            {...at('tenant/name')}
            label="Organization"
            help="Who runs this installation"
            autocomplete="organization"
            maxlength={160}
            required
          />
          <Input
            {...at('client/name')}
            label="First client"
            help="Whose events you manage; your own organization, if they are yours"
            maxlength={160}
            required
          />
          <Input
            {...at('client/code')}
            label="Code of the client"
            help="Short, for addresses: a-z, 0-9 and -. Left empty, it is made from the name."
            maxlength={63}
            autocomplete="off"
          />
          <Input {...at('admin/name')} label="Your name" autocomplete="name" maxlength={160} required />
          <Input {...at('admin/email')} type="email" label="Email" autocomplete="username" required />
          <Input
            name="admin/password"
            type="password"
            label="Password"
            help="At least 12 characters; a few words in a row are good."
            autocomplete="new-password"
            error={errorOf(refused.errors, 'admin/password')}
            required
          />
          <Actions>
            <Button tone="primary" wide>
              Set up
            </Button>
          </Actions>
        </Form>
      </Card>
    </FocusPage>
  )
}

const given = (form: FormValues, name: string) => form[name]?.trim() || undefined

/** A code that is not given is made from the name. */
const named = (form: FormValues, what: 'tenant' | 'client') => {
  const name = given(form, `${what}/name`)
  return { name, code: given(form, `${what}/code`) ?? slugOf(name ?? what) }
}

/** As long as there is nobody to sign in, every way into a console that others reach leads to its set-up. */
export function untilSetUp(web: Web): MiddlewareHandler<WebEnv> {
  // Once there is somebody there always is: asked no more.
  let isDone = !web.production
  return async (c, next) => {
    isDone ||= await isSetUp(web.road.database.write)
    return isDone || c.req.path === PATH ? next() : c.redirect(PATH, 303)
  }
}

/** `/console/setup`: the first administrator of a new installation; there is no such page once there is one. */
export function setupPages(web: Web) {
  const { database } = web.road

  async function mustBeOpen(): Promise<void> {
    // On this computer alone a demo is put in instead.
    if (!web.production || (await isSetUp(database.write))) throw notFound('There is nothing to set up here.')
  }

  const page = (c: WebContext, form: FormValues, refused: Refused, status: 200 | 400) =>
    show(c, document('Set up', <SetupPage csrf={csrfFor(web, c)} form={form} refused={refused} />), status)

  /** Everything in one transaction, with its audit row under the new administrator's name. */
  const found = (c: WebContext, foundation: Foundation): Promise<Secret> =>
    database.transact(async (db) => {
      const { tenantId, clientId, userId } = await foundFirstTenant(db, foundation, web.passwords)
      const { admin, tenant, client } = foundation
      const ctx = contextOf(
        web,
        {
          tokenHash: Buffer.alloc(0),
          userId,
          email: admin.email,
          tenantId,
          tenantCode: tenant.code,
          totpPending: false,
          actor: consoleActor(userId, admin.name),
          access: { clients: [], staff: [] },
        },
        db,
      )
      return changeWithin({ name: 'set_up', clientId }, ctx, () => {
        recordChange(ctx, { kind: 'client', id: clientId, after: { tenant: tenant.code, code: client.code, name: client.name } })
        recordChange(ctx, { kind: 'member', id: userId, after: { role: 'admin' } })
        return openSession(db, { userId, totpPending: false, ...browserOf(web, c) })
      })
    })

  return new Hono<WebEnv>()
    .onError((error, c) => refusalPage(web, c, error))
    .get(PATH, async (c) => {
      await mustBeOpen()
      return page(c, {}, {}, 200)
    })
    .post(PATH, async (c) => {
      await mustBeOpen()
      const form = await formOf(web, c)
      const admin = { name: given(form, 'admin/name'), email: given(form, 'admin/email'), password: form['admin/password'] || undefined }
      const values = { key: given(form, 'key'), tenant: named(form, 'tenant'), client: named(form, 'client'), admin }
      const read = readFields(Fields, values, labelOf)
      if ('errors' in read) return page(c, form, read, 400)
      let session: Secret | null = null
      const refused = await attempt(async () => {
        session = await found(c, { ...read.data, admin: { ...read.data.admin, password: form['admin/password']! } })
      }, labelOf)
      if (refused) return page(c, form, refused, 400)
      rememberSession(web, c, session!)
      return c.redirect('/console', 303)
    })
}
