// Says beside a live page that changes are not reported to it any more, or that it could not be read again: it stays as it was.
"use strict";
{
  const problems = {
    401: "You are signed out: reload the page to sign in. The figures may be out of date.",
    429: "Too many pages are open: changes are not reported here. The figures may be out of date.",
    503: "The database does not respond in time: the figures may be out of date.",
  };
  const lost = "The console does not respond: the figures may be out of date.";

  function report(says) {
    const notice = document.getElementById("live-notice");
    if (!notice) return;
    notice.hidden = says === "";
    if (notice.textContent !== says) notice.textContent = says;
  }

  const own = new Set(["live", "page"]);
  const isOwn = ({ target }) => own.has(target.id);
  const statusOf = ({ detail }) => detail.status ?? detail.ctx?.response?.status;
  for (const name of ["htmx:sse:error", "htmx:response:error", "htmx:error"])
    document.addEventListener(name, (event) => {
      if (isOwn(event)) report(problems[statusOf(event)] ?? lost);
    });
  for (const name of ["htmx:sse:after:connection", "htmx:after:request"])
    document.addEventListener(name, (event) => {
      if (isOwn(event) && !(statusOf(event) >= 400)) report("");
    });
}
