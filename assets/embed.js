// Shows registration pages inside another website. Paste:
// <a data-lanyard href="https://…/register/attendee">Register</a><script src="https://…/embed.js" async></script>
// Without scripts the link is a link. The frame tells its height; nothing else is taken from it, and from nowhere else.
;(() => {
  const LEAST = 320
  const MOST = 20000
  for (const link of document.querySelectorAll('a[data-lanyard]')) {
    const { origin } = new URL(link.href)
    const frame = document.createElement('iframe')
    frame.src = link.href
    frame.title = link.textContent.trim()
    frame.style.cssText = `width:100%;border:0;height:${LEAST}px`
    frame.allow = 'payment'
    addEventListener('message', (event) => {
      if (event.origin !== origin || event.source !== frame.contentWindow) return
      const height = Number(event.data?.lanyardHeight)
      if (height >= LEAST && height <= MOST) frame.style.height = `${Math.ceil(height)}px`
    })
    link.replaceWith(frame)
  }
})()
