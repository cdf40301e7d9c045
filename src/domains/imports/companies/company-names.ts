import { computeJaroWinkler } from '../../../kernel/jaro-winkler.ts'
import { normalizeColumnHeading } from '../../sheets/normalize.ts'

/** Legal forms of companies, which people add or leave out, written without punctuation. */
const LEGAL_FORMS = new Set(
  `ab ag as asa aps bv bvba co company corp corporation cv doo ev gbr gmbh inc incorporated kft kg kgaa limited llc llp ltd ltda nv ohg oy oyj
  plc pte pty sa sarl sas se sl spa spzoo sprl srl sro ug und vof`.split(/\s+/),
)

/**
 * Returns the name of a company without legal forms at its end, without case and accents: "ACME GmbH & Co. KG" and "Acme" are equal. A name
 * of legal forms only is kept.
 */
export function removeLegalForm(name: string): string {
  const words = normalizeColumnHeading(name.toLowerCase().replace(/\b((?:\p{L}\.){2,})/gu, (letters) => letters.replaceAll('.', ''))).split(
    ' ',
  )
  let end = words.length
  while (end > 1 && LEGAL_FORMS.has(words[end - 1]!)) end--
  return words.slice(0, end).join(' ')
}

/** Email providers whose addresses do not identify a company. */
const FREE_MAIL_DOMAINS = new Set(
  `aol.com fastmail.com free.fr freenet.de gmail.com gmx.at gmx.ch gmx.de gmx.net googlemail.com hotmail.com icloud.com laposte.net libero.it
  live.com mac.com mail.com mail.ru me.com msn.com orange.fr outlook.com outlook.de proton.me protonmail.com qq.com t-online.de web.de yahoo.com
  yahoo.de yandex.ru ymail.com 163.com`.split(/\s+/),
)

const PUBLIC_SECOND_LEVELS = new Set('ac co com edu gob gov gouv net or org'.split(' '))

/**
 * Returns the domain that a company registers: `shop.borealis.co.uk` is `borealis.co.uk`. Null for email providers and addresses without a
 * domain.
 */
export function toRegistrableDomain(host: string): string | null {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.')
  if (labels.length < 2 || labels.every((label) => /^\d+$/.test(label))) return null
  const short = labels.at(-1)!.length === 2 && PUBLIC_SECOND_LEVELS.has(labels.at(-2)!)
  const domain = labels.slice(short ? -3 : -2).join('.')
  return FREE_MAIL_DOMAINS.has(domain) ? null : domain
}

export interface CompanyWebsiteAndEmail {
  website: string | null
  contactEmail: string | null
}

/** Lists the domains of a company's website and of its contact's email address. */
export const listCompanyDomains = ({ website, contactEmail }: CompanyWebsiteAndEmail): string[] => {
  const hosts = [website === null ? null : (URL.parse(website)?.hostname ?? null), contactEmail?.split('@').at(-1) ?? null]
  return [...new Set(hosts.flatMap((host) => (host === null ? [] : (toRegistrableDomain(host) ?? []))))]
}

/** Minimum similarity of two company names with the same domain to count as one company. */
const MIN_SIMILARITY = 0.9

export interface ExistingCompany extends CompanyWebsiteAndEmail {
  id: string
  name: string
  externalId: string | null
}

/** Builds an index that finds existing companies by the data of an imported row. Companies created by the import are added to the index. */
export function indexCompanies(companies: readonly ExistingCompany[]) {
  const byExternalId = new Map<string, ExistingCompany[]>()
  const byName = new Map<string, ExistingCompany[]>()
  const byDomain = new Map<string, ExistingCompany[]>()
  const put = (index: Map<string, ExistingCompany[]>, key: string, company: ExistingCompany) =>
    index.set(key, [...(index.get(key) ?? []).filter(({ id }) => id !== company.id), company])
  const add = (company: ExistingCompany) => {
    if (company.externalId !== null) put(byExternalId, company.externalId, company)
    put(byName, removeLegalForm(company.name), company)
    for (const domain of listCompanyDomains(company)) put(byDomain, domain, company)
  }
  for (const company of companies) add(company)
  return {
    add,
    findByExternalId: (externalId: string): ExistingCompany | null => byExternalId.get(externalId)?.[0] ?? null,
    /** Finds the companies with the name of the row, otherwise those of the same domain with a similar name. */
    findByName(row: CompanyWebsiteAndEmail & { name: string }): ExistingCompany[] {
      const bare = removeLegalForm(row.name)
      const named = byName.get(bare) ?? []
      if (named.length > 0) return named
      const near = listCompanyDomains(row).flatMap((domain) => byDomain.get(domain) ?? [])
      return [...new Map(near.map((one) => [one.id, one])).values()].filter(
        ({ name }) => computeJaroWinkler(bare, removeLegalForm(name)) >= MIN_SIMILARITY,
      )
    },
  }
}
