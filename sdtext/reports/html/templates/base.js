"use strict";
/* What the page is about, for the scripts that follow. */
const data = JSON.parse(document.getElementById("data").textContent);

/* On paper all lists are open. */
{
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const list of closed) list.open = true;
  });
  addEventListener("afterprint", () => { for (const list of closed) list.open = false; });
}
