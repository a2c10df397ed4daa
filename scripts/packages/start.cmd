@echo off
rem A terminal in this folder, for those who double-click: the demo is baked, and what to type is said.
cd /d "%~dp0"
title viewcell
if not exist jacksboro.vcb viewcell.exe bake terrain assets\jacksboro.tif -o jacksboro.vcb --visibility exact
echo.
echo   viewcell view jacksboro.vcb      looks at the demo, in the browser
echo   viewcell bake FILE               bakes a heightmap, a level or a mesh
echo   viewcell help                    lists the commands
echo.
cmd /k
