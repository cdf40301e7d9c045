import { Hono, type MiddlewareHandler } from 'hono'
import { recordChange } from '../../../kernel/audit.ts'
import { applyChangeInTransaction } from '../../../kernel/commit-change.ts'
import { code, email, name, object, text } from '../../../kernel/args.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toSlug } from '../../../kernel/ids.ts'
import type { Secret } from '../../../kernel/secrets.ts'
import { toConsoleActor, createBrowserSession } from '../../../domains/sign-in/sessions.ts'
import { type FirstTenantInput, setUpFirstTenant, isInstallationSetUp } from '../../../domains/sign-in/setup.ts'
import { createFieldPropsGetter, renderCenteredFormPage } from '../components/form-page.tsx'
import { findFieldError, Input } from '../components/forms.tsx'
import { renderHtmlDocument } from '../components/layout.tsx'
import { readBrowserInfo } from '../language/visitor.ts'
import { catchFormErrors, type FieldLabelLookup, validateFormFields, type FormErrors } from '../fields.ts'
import { getCsrfToken, type FormValues, setSessionCookie, sendPage, type WebServices, type WebContext, type WebEnv } from '../web.ts'
import { createAccountContext, requireConsoleForm, sendConsoleError } from './frame.tsx'

const PATH = '/console/setup'

const LABELS: Record<string, string> = {
  key: 'Setup key',
  'tenant/name': 'Organization',
  'client/name': 'Client',
  'client/code': 'Client code',
  'admin/name': 'Your name',
  'admin/email': 'Email',
  'admin/password': '',
}
const labelOf: FieldLabelLookup = (path) => LABELS[path] ?? ''

const NameAndCode = object({ name: name(), code: code() })
const Fields = object({
  key: text(100),
  tenant: NameAndCode,
  client: NameAndCode,
  admin: object({ name: name(), email: email(), password: text(300) }),
})

const setupPage = (csrf: string, form: FormValues, formErrors: FormErrors | null) => {
  const at = createFieldPropsGetter(form, formErrors)
  return renderCenteredFormPage({
    title: 'Set up',
    heading: 'Set up Lanyard',
    text: 'You will be the first administrator.',
    formErrors,
    action: PATH,
    csrf,
    submit: 'Set up',
    children: (
      <>
        <Input
          {...at('key')}
          label="Setup key"
          help="Starts with lsk_. Lanyard prints it in the terminal when it starts."
          autocomplete="off"
          required
          autofocus
        />
        <Input
          {...at('tenant/name')}
          label="Organization"
          help="The organization that runs this installation"
          autocomplete="organization"
          maxlength={160}
          required
        />
        <Input
          {...at('client/name')}
          label="First client"
          help="The organization whose events you manage. This can be your own."
          maxlength={160}
          required
        />
        <Input
          {...at('client/code')}
          label="Client code"
          help="Used in addresses: a-z, 0-9 and -. Leave empty to create it from the name."
          maxlength={63}
          autocomplete="off"
        />
        <Input {...at('admin/name')} label="Your name" autocomplete="name" maxlength={160} required />
        <Input {...at('admin/email')} type="email" label="Email" autocomplete="username" required />
        <Input
          name="admin/password"
          type="password"
          label="Password"
          help="At least 12 characters. A few random words work well."
          autocomplete="new-password"
          error={findFieldError(formErrors?.errors, 'admin/password')}
          required
        />
      </>
    ),
  })
}

const given = (form: FormValues, name: string) => form[name]?.trim() || undefined

/** Reads the name and code of the tenant or client. A missing code is derived from the name. */
const nameAndCode = (form: FormValues, what: 'tenant' | 'client') => {
  const name = given(form, `${what}/name`)
  return { name, code: given(form, `${what}/code`) ?? toSlug(name ?? what) }
}

/** Redirects all console pages of a production installation to the setup page until the first administrator exists. */
export function redirectToSetupPage(web: WebServices): MiddlewareHandler<WebEnv> {
  // An installation that is set up stays set up, so the database is not queried again.
  let isDone = !web.production
  return async (c, next) => {
    isDone ||= await isInstallationSetUp(web.services.database.write)
    return isDone || c.req.path === PATH ? next() : c.redirect(PATH, 303)
  }
}

/** `/console/setup`: creates the first administrator, and responds with 404 once one exists. */
export function installationSetupPages(web: WebServices) {
  const { database } = web.services

  async function requireNotSetUp(): Promise<void> {
    // A local installation needs no setup page, because it starts with demo data.
    if (!web.production || (await isInstallationSetUp(database.write))) throw notFound('This installation is already set up.')
  }

  const page = (c: WebContext, form: FormValues, formErrors: FormErrors | null = null) => {
    const { title, content, status } = setupPage(getCsrfToken(web, c), form, formErrors)
    return sendPage(c, renderHtmlDocument(title, content), status)
  }

  /** Creates the tenant in one transaction, with an audit entry in the name of the new administrator. */
  const createFirstTenant = (c: WebContext, foundation: FirstTenantInput): Promise<Secret> =>
    database.transact(async (db) => {
      const { tenantId, clientId, userId } = await setUpFirstTenant(db, foundation, web.passwords)
      const { admin, tenant, client } = foundation
      const ctx = createAccountContext(
        web,
        {
          tokenHash: Buffer.alloc(0),
          userId,
          email: admin.email,
          tenantId,
          tenantCode: tenant.code,
          totpPending: false,
          actor: toConsoleActor(userId, admin.name),
          access: { clients: [], staff: [] },
        },
        db,
      )
      return applyChangeInTransaction({ name: 'set_up', clientId }, ctx, () => {
        recordChange(ctx, { kind: 'client', id: clientId, after: { tenant: tenant.code, code: client.code, name: client.name } })
        recordChange(ctx, { kind: 'member', id: userId, after: { role: 'admin' } })
        return createBrowserSession(db, { userId, totpPending: false, ...readBrowserInfo(web, c) })
      })
    })

  return new Hono<WebEnv>()
    .onError((error, c) => sendConsoleError(web, c, error))
    .get(PATH, async (c) => {
      await requireNotSetUp()
      return page(c, {})
    })
    .post(PATH, async (c) => {
      await requireNotSetUp()
      const form = await requireConsoleForm(web, c)
      const admin = { name: given(form, 'admin/name'), email: given(form, 'admin/email'), password: form['admin/password'] || undefined }
      const values = { key: given(form, 'key'), tenant: nameAndCode(form, 'tenant'), client: nameAndCode(form, 'client'), admin }
      const read = validateFormFields(Fields, values, labelOf)
      if ('errors' in read) return page(c, form, read)
      let session: Secret | null = null
      const formErrors = await catchFormErrors(async () => {
        session = await createFirstTenant(c, { ...read.data, admin: { ...read.data.admin, password: form['admin/password']! } })
      }, labelOf)
      if (formErrors) return page(c, form, formErrors)
      setSessionCookie(web, c, session!)
      return c.redirect('/console', 303)
    })
}
