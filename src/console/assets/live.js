// Says beside a live page that changes are not reported to it any more: it stays as it was.
"use strict";
{
  const problems = {
    401: "You are signed out: load the page again to sign in. The figures are as they were.",
    429: "Too many pages are open: changes are not reported here. The figures are as they were.",
  };
  const lost = "The console does not answer: the figures are as they were.";

  function report(says) {
    const notice = document.getElementById("live-notice");
    if (!notice) return;
    notice.hidden = says === "";
    if (notice.textContent !== says) notice.textContent = says;
  }

  const isStream = ({ target }) => target.id === "live";
  const statusOf = ({ detail }) => detail.status ?? detail.ctx?.response?.status;
  for (const name of ["htmx:sse:error", "htmx:response:error", "htmx:error"])
    document.addEventListener(name, (event) => {
      if (isStream(event)) report(problems[statusOf(event)] ?? lost);
    });
  document.addEventListener("htmx:sse:after:connection", (event) => {
    if (isStream(event)) report("");
  });
}
