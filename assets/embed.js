// Embeds registration pages in another website. Usage:
// <a data-lanyard href="https://…/register/attendee">Register</a><script src="https://…/embed.js" async></script>
// Without scripts, the link stays a plain link. The page accepts only height messages, and only from the embedded frame's origin.
;(() => {
  const MIN_HEIGHT_PX = 320
  const MAX_HEIGHT_PX = 20000
  for (const link of document.querySelectorAll('a[data-lanyard]')) {
    const { origin } = new URL(link.href)
    const frame = document.createElement('iframe')
    frame.src = link.href
    frame.title = link.textContent.trim()
    frame.style.cssText = `width:100%;border:0;height:${MIN_HEIGHT_PX}px`
    frame.allow = 'payment'
    addEventListener('message', (event) => {
      if (event.origin !== origin || event.source !== frame.contentWindow) return
      const height = Number(event.data?.lanyardHeight)
      if (height >= MIN_HEIGHT_PX && height <= MAX_HEIGHT_PX) frame.style.height = `${Math.ceil(height)}px`
    })
    link.replaceWith(frame)
  }
})()
