import { updateCompany } from '../../../domains/exhibitors/company/edit-company.ts'
import { email as emailArgument } from '../../../kernel/args.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { ErrorSummary, findFieldError, Form, Input, TextArea } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { ContactLink } from '../event/contact-link.tsx'
import { createEventRouter, toFormErrors } from '../event/event-layout.tsx'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../web.ts'
import { buildOutcomeNoticePath } from './notices.ts'
import {
  runExhibitorChange,
  EXHIBITOR_PATH,
  withExhibitorManagerAccess,
  ignoreRefusedChangeError,
  handleExhibitorManagerPost,
  type PortalAccess,
  PortalHeading,
  showPortalPage,
} from './portal-access.tsx'

const PATH = `${EXHIBITOR_PATH}/company`

const readValues = ({ company }: PortalAccess): FormValues => ({
  description: company.description ?? '',
  website: company.website ?? '',
  contactName: company.contact_name ?? '',
  contactEmail: company.contact_email ?? '',
  contactPhone: company.contact_phone ?? '',
})

const CompanyForm = ({
  at,
  values,
  errors,
  csrf,
}: {
  at: PortalAccess
  values: FormValues
  errors: readonly FieldError[]
  csrf: string
}) => {
  const { say } = at.site.words
  const field = (name: string) => ({
    name,
    value: values[name] ?? '',
    error: findFieldError(errors, name),
    optional: say('field.optional'),
  })
  return (
    <Form action={`${at.home}/company`} csrf={csrf} class="portal-form">
      <TextArea {...field('description')} label={say('portal.description')} help={say('portal.describeHelp')} rows={6} />
      <Input {...field('website')} label={say('portal.website')} type="url" inputmode="url" maxlength={2000} />
      <fieldset class="portal-form part">
        <legend>{say('portal.contact')}</legend>
        <p class="help">{say('portal.contactHelp')}</p>
        <Input {...field('contactName')} label={say('portal.name')} autocomplete="name" maxlength={200} />
        <Input {...field('contactEmail')} label={say('portal.email')} type="email" autocomplete="email" />
        <Input {...field('contactPhone')} label={say('portal.phone')} type="tel" autocomplete="tel" maxlength={40} />
      </fieldset>
      <p class="small muted">
        {say('portal.organizerFields')} <ContactLink site={at.site} />
      </p>
      <div class="actions">
        <button type="submit" class="button primary">
          {say('portal.save')}
        </button>
      </div>
    </Form>
  )
}

/** `…/exhibitor/company`: the company's description for visitors, and its contact. */
export function portalCompanyPages(web: WebServices) {
  const show = (c: WebContext, at: PortalAccess, values = readValues(at), errors: readonly FieldError[] = []) => {
    const { say } = at.site.words
    return showPortalPage(
      web,
      c,
      at,
      { title: say('portal.details'), section: 'overview', status: errors.length > 0 ? 400 : 200 },
      <>
        <PortalHeading title={say('portal.details')} text={at.company.name} />
        <div class="narrow-form">
          <ErrorSummary {...(toFormErrors(at.site, errors) ?? {})} />
          <Card>
            <CompanyForm at={at} values={values} errors={errors} csrf={getCsrfToken(web, c)} />
          </Card>
        </div>
      </>,
    )
  }

  const save = async (c: WebContext, at: PortalAccess, form: FormValues): Promise<Response> => {
    const { say } = at.site.words
    const text = (name: string, most: number) => (form[name] ?? '').trim().slice(0, most) || null
    const [name, email, phone] = [text('contactName', 200), text('contactEmail', 254), text('contactPhone', 40)]
    const parsed = email === null ? null : emailArgument().safeParse(email)
    if (parsed && !parsed.success) return show(c, at, form, [{ path: 'contactEmail', message: say('portal.enterEmail') }])
    const contact = { name, email: parsed ? parsed.data : null, phone } as { name?: string; email?: string; phone?: string }
    const fields = { description: text('description', 5000), website: text('website', 2000), contact }
    const done = await runExhibitorChange(web, at, 'edit_own_company', (ctx) =>
      updateCompany(ctx, { companyId: at.company.id, fields }),
    ).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_arguments') return 'website' as const
      return ignoreRefusedChangeError(error)
    })
    if (done === 'website') return show(c, at, form, [{ path: 'website', message: say('portal.badWebsite') }])
    return c.redirect(buildOutcomeNoticePath(`${at.home}/company`, done ? 'saved' : 'refused'), 303)
  }

  return createEventRouter(web)
    .get(
      PATH,
      withExhibitorManagerAccess(web, (c, at) => show(c, at)),
    )
    .post(PATH, handleExhibitorManagerPost(web, save))
}
