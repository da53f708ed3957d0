"use strict";
/* What the page is about, for the scripts that follow. */
const data = JSON.parse(document.getElementById("data").textContent);
