/** Domains at which anyone can get a mailbox, so that a shared domain does not mean a shared employer. */
const FREE_MAIL_DOMAINS = new Set(
  `gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com icloud.com me.com mac.com aol.com proton.me
  protonmail.com pm.me gmx.com gmx.net gmx.de gmx.at gmx.ch web.de t-online.de freenet.de mail.com mail.ru yandex.ru yandex.com qq.com
  163.com 126.com sina.com foxmail.com orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it tiscali.it alice.it
  hotmail.co.uk hotmail.fr hotmail.de hotmail.it hotmail.es outlook.de outlook.fr outlook.es yahoo.co.uk yahoo.de yahoo.fr yahoo.es yahoo.it
  yahoo.co.jp ziggo.nl kpnmail.nl sapo.pt uol.com.br bol.com.br terra.com.br zoho.com fastmail.com hey.com tutanota.com`.split(/\s+/),
)

/** The domain of an email address that belongs to an organization; null for an address at a free mail provider. */
export function findCompanyDomain(email: string): string | null {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return domain === '' || FREE_MAIL_DOMAINS.has(domain) ? null : domain
}
